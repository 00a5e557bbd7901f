import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres, startRedis } from 'notewire-test-servers'
import { mediansTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

const PROCESSES = [1, 2, 4]
const ROUNDS = 3

/** A kind of store, and where one is. */
interface Place {
  readonly store: 'memory' | 'redis' | 'sqlite' | 'postgres'
  readonly url: string
  /** How many events keep its receivers busy for a second or two. */
  readonly events: number
}

/** Events a second of a whole receiver that runs in several processes, by what they keep their claims in. */
export async function measureInstances(): Promise<readonly Table[]> {
  await using redis = await startRedis()
  await using postgres = await startPostgres({ durable: true })
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  const places: readonly Place[] = [
    { store: 'memory', url: '', events: 20_000 },
    { store: 'redis', url: redis.url, events: 10_000 },
    { store: 'sqlite', url: join(folder, 'events.db'), events: 4000 },
    { store: 'postgres', url: postgres.url, events: 4000 },
  ]
  try {
    const tables: Table[] = []
    for (const place of places) tables.push(await tableOf(place))
    return tables
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function tableOf(place: Place): Promise<Table> {
  const samples = PROCESSES.map((processes) => [
    processes === 1 ? '1 process' : `${processes} processes`,
    () => eventsASecond(place, processes),
  ])
  const rates = await mediansTurnByTurn(Object.fromEntries(samples), ROUNDS)
  const alone = rates['1 process'] ?? Number.NaN
  return {
    title: `A whole receiver: signed deliveries over sockets, claims in ${NAMES[place.store]}`,
    unit: 'events/s',
    note: 'Each process is a node:http server with an empty handler; a process of its own sends, 64 at once, evenly. All of them and the server of the store share the cores of the machine named above. Ratios to one process.',
    rows: Object.entries(rates).map(([name, value]) => ({ name, value, ratio: value / alone })),
  }
}

const NAMES: Readonly<Record<Place['store'], string>> = {
  memory: 'memory, which processes do not share',
  redis: 'Redis (nothing on disk), by ioredis',
  sqlite: 'one file of SQLite',
  postgres: 'PostgreSQL (durable), by pg',
}

async function eventsASecond({ store, url, events }: Place, processes: number): Promise<number> {
  const sender = await startProgram<{ secret: string }>('sender.ts', String(events))
  // In which nobody has seen these events.
  const scope = randomUUID()
  const start = () => startProgram<{ port: number }>('instance.ts', store, url, scope, sender.said.secret)
  const instances = await Promise.all(Array.from({ length: processes }, start))
  try {
    const ports = instances.map(({ said }) => said.port)
    const { seconds, sent } = await askProgram<{ seconds: number; sent: number }>(sender.process, { ports })
    const counts = await Promise.all(
      instances.map(({ process }) => askProgram<{ applied: number }>(process, 'how many')),
    )
    const applied = counts.reduce((sum, count) => sum + count.applied, 0)
    // All were answered 204, but what waits for long on a busy machine is overtaken: a few may be stale.
    if (applied < 0.99 * sent) throw new Error(`${applied} of ${sent} events were applied`)
    return events / seconds
  } finally {
    for (const { process } of [sender, ...instances]) process.kill()
  }
}
