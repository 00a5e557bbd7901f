import { redisStore, stores } from '../../vitest.workspace.ts'

/** The tests that must find a bug: one file after the other, the fastest first, until one fails. */
export interface StatementSuite {
  readonly project: ReturnType<typeof stores>
  readonly files: readonly string[]
}

const receiver = stores('stores', 'packages/webhooks')
const mirror = stores('mirror-stores', 'packages/mirror')

export const suites = {
  sqlite: {
    project: receiver,
    files: filesIn('sqlite', ['sqlite-store', 'sqlite-transactions', 'differential', 'pruning']),
  },
  postgres: {
    project: receiver,
    files: filesIn('postgres', ['postgres-store', 'interleavings', 'postgres-transactions', 'looks', 'differential']),
  },
  redis: {
    project: redisStore,
    files: filesIn('redis', ['redis-store', 'differential', 'many-instances']),
  },
  mirrorSqlite: {
    project: mirror,
    files: filesIn('sqlite', [
      'sqlite-mirror',
      'differential',
      'feed-runs',
      'consuming',
      'erasure',
      'power-cut',
      'restored-backup',
    ]),
  },
  mirrorPostgres: {
    project: mirror,
    files: filesIn('postgres', [
      'postgres-mirror',
      'differential',
      'guarantees',
      'many-integrations',
      'consuming',
      'restored-backup',
    ]),
  },
} satisfies Record<string, StatementSuite>

function filesIn(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `src/stores/${folder}/${name}.test.ts`)
}
