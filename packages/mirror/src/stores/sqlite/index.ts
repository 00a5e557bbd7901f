export {
  betterSqlite,
  type D1Binding,
  type D1Statement,
  type DurableObjectSqlStorage,
  d1,
  durableObjectSqlite,
  NodeSqliteMissingError,
  nodeSqlite,
  type PreparedStatement,
  type SqliteConnection,
  type SqliteDriver,
  SqliteFailedError,
  SqliteFolderMissingError,
  SqliteFolderReadOnlyError,
  SqliteNotAFileError,
  SqliteNotMigratedError,
  type SqliteRow,
  type SqliteStatement,
  type SqliteValue,
} from '@notewire/storage'
export { FullTextMissingError, NewerTablesError, PurgeIncompleteError } from './errors.ts'
export { type SqliteMirror, type SqliteMirrorOptions, sqliteMirror } from './sqlite-mirror.ts'
