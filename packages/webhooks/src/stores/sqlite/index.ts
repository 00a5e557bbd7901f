export {
  type D1Binding,
  type D1Statement,
  type DurableObjectSqlStorage,
  d1,
  durableObjectSqlite,
} from '../../storage/cloudflare-sqlite.ts'
export { NodeSqliteMissingError, nodeSqlite } from '../../storage/node-sqlite.ts'
export type { PreparedStatement, SqliteConnection } from '../../storage/sqlite-connection.ts'
export { betterSqlite } from '../../storage/sqlite-connection.ts'
export type { Durability, SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from '../../storage/sqlite-driver.ts'
export { SqliteFailedError, SqliteFolderMissingError, SqliteNotMigratedError } from '../../storage/sqlite-driver.ts'
export { SqliteFolderReadOnlyError, SqliteNotAFileError } from '../../storage/sqlite-file.ts'
export { type SqliteStore, type SqliteStoreOptions, sqliteStore } from './sqlite-store.ts'
export { durableObjectTransactions, type SqliteTransactions, sqliteTransactions } from './sqlite-transactions.ts'
