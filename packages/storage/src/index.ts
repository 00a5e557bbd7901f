/**
 * The code that the stores of `@notewire/webhooks` and `@notewire/mirror` share: drivers of SQLite, and statements of PostgreSQL with a time limit
 * and clear errors. It imports no driver package. It is for those who write a store in SQLite or PostgreSQL with tables of their own; to choose a
 * store, see `@notewire/webhooks/sqlite`, `/postgres` and `/redis`, and `@notewire/mirror/sqlite` and `/postgres`.
 *
 * @module
 */

export { type ClientOfPool, listenToClient, listenToClients, type PoolOfClients } from './checked-out-clients.ts'
export {
  type D1Binding,
  type D1Statement,
  type DurableObjectSqlStorage,
  d1,
  durableObjectSqlite,
  synchronousObject,
} from './cloudflare-sqlite.ts'
export { driverOf, NodeSqliteMissingError, nodeSqlite } from './node-sqlite.ts'
export {
  type PostgresConnection,
  PostgresFailedError,
  PostgresNotMigratedError,
  type PostgresStoreOptions,
  PostgresTimeoutError,
  type PostgresTransaction,
  refuseWrongPostgres,
} from './postgres-connection.ts'
export { migrationOf, type PostgresTables } from './postgres-migration.ts'
export {
  isInTransaction,
  LOCK_NOT_AVAILABLE,
  PostgresQueries,
  type PostgresQueriesOptions,
  postgresCodeOf,
  transactionNotOpen,
} from './postgres-queries.ts'
export { savepointName } from './savepoint-name.ts'
export {
  betterSqlite,
  type PreparedStatement,
  type SqliteConnection,
  synchronousConnection,
} from './sqlite-connection.ts'
export type { Durability, SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from './sqlite-driver.ts'
export {
  explainMissingTables,
  SqliteFailedError,
  SqliteFolderMissingError,
  SqliteNotMigratedError,
  whenFree,
} from './sqlite-driver.ts'
export { SqliteFolderReadOnlyError, SqliteNotAFileError, sqliteLocation } from './sqlite-file.ts'
export type { SynchronousSqlite, TransactionEnded } from './synchronous-sqlite.ts'
export { withinTimeLimit } from './time-limit.ts'
