export type {
  PostgresConnection,
  PostgresStoreOptions,
  PostgresTransaction,
} from '../../storage/postgres-connection.ts'
export { PostgresNotMigratedError, PostgresTimeoutError } from '../../storage/postgres-errors.ts'
export type { OpenTransaction } from './library-transactions.ts'
export type { PostgresPool, PostgresPoolClient } from './pool-transactions.ts'
export { type PostgresStore, postgresStore } from './postgres-store.ts'
export { type PostgresTransactions, postgresTransactions } from './postgres-transactions.ts'
