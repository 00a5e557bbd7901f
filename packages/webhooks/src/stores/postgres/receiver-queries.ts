import { type PostgresConnection, PostgresQueries, type PostgresStoreOptions, postgresCodeOf } from '@notewire/storage'
import { STORE_TIME_LIMIT_MS } from '../../interfaces/store.ts'
import { EVENT_CHANGED } from './fencing.ts'
import { RECEIVER_TABLES } from './migration.ts'

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

/** @throws the error, unless it means that the event has changed */
export function noRowIfChanged(error: unknown): readonly never[] {
  if (postgresCodeOf(error) === EVENT_CHANGED) return []
  throw error
}
