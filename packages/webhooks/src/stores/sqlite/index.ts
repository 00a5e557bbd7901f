export type {
  Durability,
  PreparedStatement,
  SqliteConnection,
  SqliteDriver,
  SqliteRow,
  SqliteStatement,
  SqliteValue,
} from '@notewire/storage'
export {
  betterSqlite,
  type D1Binding,
  type D1Statement,
  type DurableObjectSqlStorage,
  d1,
  durableObjectSqlite,
  NodeSqliteMissingError,
  nodeSqlite,
  SqliteFailedError,
  SqliteFolderMissingError,
  SqliteFolderReadOnlyError,
  SqliteNotAFileError,
  SqliteNotMigratedError,
} from '@notewire/storage'
export { type SqliteStore, type SqliteStoreOptions, sqliteStore } from './sqlite-store.ts'
export { durableObjectTransactions, type SqliteTransactions, sqliteTransactions } from './sqlite-transactions.ts'
