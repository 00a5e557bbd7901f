import {
  listenToClients,
  type PoolOfClients,
  type PostgresConnection,
  PostgresQueries,
  type PostgresStoreOptions,
  type PostgresTransaction,
  refuseWrongPostgres,
} from '@notewire/storage'
import type { MirrorStore } from '../mirror-store.ts'
import { createConsumerStore } from './consumer-statements.ts'
import { MIRROR_TABLES } from './migration.ts'
import { createStore } from './store-in-postgres.ts'
import { timedDatabase } from './timed-database.ts'

/** Mirrors in a PostgreSQL database. */
export type PostgresMirror = MirrorStore<PostgresTransaction>

/**
 * Stores mirrors in PostgreSQL 14 or newer, for any number of instances. It works with PgBouncer in transaction mode. The encoding of the database
 * must be UTF8, and the default isolation level of the connection `read committed`, PostgreSQL's default. An operation that takes longer than
 * 30 s rejects with `PostgresTimeoutError`.
 *
 * You may query all tables, but write to none. The view `notewire_live_notes` contains the notes that the mirror shows. Text in PostgreSQL can
 * contain neither NUL nor an unpaired surrogate: in the tables, each is stored as U+001A and four hexadecimal digits. A path or an address is
 * indexed as its words; `search @@ notewire_mirror_query('ada@example.com')` splits it in your own SQL.
 *
 * @param pool  your pool of `pg`, or any object with its `query(text, values)`. You close it.
 * @throws OptionError if `pool` has no `query`, or for an unknown or invalid option
 * @example
 * ```ts
 * import { postgresMirror } from '@notewire/mirror/postgres'
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
 * // Without this handler, a restart of the server would end the process: a broken idle connection is an error of the pool.
 * pool.on('error', console.error)
 * const store = postgresMirror(pool)
 * ```
 */
export function postgresMirror(pool: PostgresConnection, options: PostgresStoreOptions = {}): PostgresMirror {
  refuseWrongPostgres('postgresMirror', pool, options)
  // A consumer takes clients out of the pool for its transactions.
  const { on }: Partial<PoolOfClients> = pool as Partial<PoolOfClients>
  if (typeof on === 'function') listenToClients(pool as PostgresConnection & PoolOfClients)
  const queries = new PostgresQueries(pool, {
    ...options,
    tables: MIRROR_TABLES,
    timeLimitMs: 30_000,
    whenToMigrate:
      'A mirror migrates its store when it is first used; if you use the store without a mirror, call `await store.migrate()` first.',
    afterTimeout: 'No data is lost or partly written: the next sync continues.',
  })
  const database = timedDatabase(queries)
  return { ...createStore(database, () => queries.migrate()), ...createConsumerStore(queries, database) }
}
