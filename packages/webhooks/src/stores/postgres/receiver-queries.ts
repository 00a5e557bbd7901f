import { STORE_TIME_LIMIT_MS } from '../../interfaces/store.ts'
import type { PostgresConnection, PostgresStoreOptions } from '../../storage/postgres-connection.ts'
import { PostgresQueries } from '../../storage/postgres-queries.ts'
import { RECEIVER_TABLES } from './migration.ts'

/** Three thousand years: callers may pass `Infinity`, and PostgreSQL supports no more than about 290,000 years. */
export const LONGEST_KEPT_MS = 1e14

/** The end of the message of an error after a time limit. */
export const AFTER_TIMEOUT = 'The delivery will be retried.'

/** The statements of a receiver's store. */
export function receiverQueries(connection: PostgresConnection, options: PostgresStoreOptions): PostgresQueries {
  return new PostgresQueries(connection, {
    ...options,
    tables: RECEIVER_TABLES,
    timeLimitMs: STORE_TIME_LIMIT_MS,
    whenToMigrate: 'Call `await store.migrate()` before the first delivery and after each upgrade of the package.',
    afterTimeout: AFTER_TIMEOUT,
  })
}
