export type { ClientOfPool, PoolOfClients } from '../../storage/checked-out-clients.ts'
export type { PostgresConnection, PostgresStoreOptions } from '../../storage/postgres-connection.ts'
export {
  PostgresFailedError,
  PostgresNotMigratedError,
  PostgresTimeoutError,
} from '../../storage/postgres-connection.ts'
export type { LibraryTransactionOptions } from './library-transactions.ts'
export type { OpenTransaction } from './open-within-limit.ts'
export type { PostgresPool, PostgresPoolClient } from './pool-transactions.ts'
export { type PostgresStore, postgresStore } from './postgres-store.ts'
export { type PostgresTransactions, postgresTransactions } from './postgres-transactions.ts'
