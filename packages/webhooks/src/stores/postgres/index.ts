export type { ClientOfPool, PoolOfClients, PostgresConnection, PostgresStoreOptions } from '@notewire/storage'
export {
  PostgresFailedError,
  PostgresNotMigratedError,
  PostgresTimeoutError,
} from '@notewire/storage'
export type { LibraryTransactionOptions } from './library-transactions.ts'
export { namedStatements, type PoolWithNames } from './named-statements.ts'
export type { OpenTransaction } from './open-within-limit.ts'
export type { PostgresPool, PostgresPoolClient } from './pool-transactions.ts'
export { type PostgresStore, postgresStore } from './postgres-store.ts'
export { type PostgresTransactions, postgresTransactions } from './postgres-transactions.ts'
