import { after, before, beforeEach } from 'node:test'
import { postgresStore } from '@notewire/webhooks/postgres'
import { type Postgres, startPostgres } from 'notewire-test-servers'
import { Pool } from 'pg'
import { createTables } from '../src/tables.ts'

/** Gives the tests of a file a PostgreSQL server, with tables that are empty before each test. Read its fields in tests only. */
export function useTestDatabase(): TestDatabase {
  let server: Postgres | undefined
  let pool: Pool | undefined
  before(async () => {
    server = await startPostgres()
    pool = new Pool({ connectionString: server.url })
    // The server may stop before the last connection is closed.
    pool.on('connect', (client) => client.on('error', () => undefined))
    pool.on('error', () => undefined)
    await postgresStore(pool).migrate()
    await createTables(pool)
  })
  beforeEach(() => pool?.query('TRUNCATE deletions, outbox, notewire_events, notewire_notes'))
  after(async () => {
    await pool?.end()
    await server?.stop()
  })
  return {
    get url() {
      return started(server).url
    },
    get pool() {
      return started(pool)
    },
  }
}

export interface TestDatabase {
  readonly url: string
  readonly pool: Pool
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('The database is started by the hook `before`. Read it in a test.')
  return part
}
