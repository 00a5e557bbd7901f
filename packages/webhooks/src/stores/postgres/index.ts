export type {
  PostgresConnection,
  PostgresStoreOptions,
  PostgresTransaction,
} from '../../storage/postgres-connection.ts'
export { PostgresNotMigratedError, PostgresTimeoutError } from '../../storage/postgres-errors.ts'
export { type PostgresStore, postgresStore } from './postgres-store.ts'
