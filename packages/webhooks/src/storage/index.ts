/**
 * The code that the stores of `@notewire/webhooks` and `@notewire/mirror` share: drivers of SQLite, and statements of PostgreSQL with a
 * time limit and clear errors. It imports no driver package. It is for authors of stores; to choose a store, see
 * `@notewire/webhooks/sqlite`, `/postgres` and `/redis`, and `@notewire/mirror/sqlite` and `/postgres`.
 *
 * @module
 */

export { betterSqlite } from './better-sqlite.ts'
export { type D1Binding, type D1Statement, d1 } from './d1.ts'
export { type DurableObjectSqlStorage, durableObjectSqlite } from './durable-object-sqlite.ts'
export { driverOf, NodeSqliteMissingError, nodeSqlite } from './node-sqlite.ts'
export {
  type PostgresConnection,
  type PostgresStoreOptions,
  type PostgresTransaction,
  refuseWrongPostgres,
} from './postgres-connection.ts'
export { PostgresNotMigratedError, PostgresTimeoutError } from './postgres-errors.ts'
export { migrationOf, type PostgresTables } from './postgres-migration.ts'
export { isInTransaction, PostgresQueries, type PostgresQueriesOptions, postgresCodeOf } from './postgres-queries.ts'
export type { PreparedStatement, SqliteConnection } from './sqlite-connection.ts'
export type { Durability, SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from './sqlite-driver.ts'
export { explainMissingTables, SqliteFolderMissingError, SqliteNotMigratedError } from './sqlite-errors.ts'
export { whenFree } from './when-free.ts'
