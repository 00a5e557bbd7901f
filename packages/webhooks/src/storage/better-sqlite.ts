import { connectionDriver, type SqliteConnection } from './sqlite-connection.ts'
import type { SqliteDriver } from './sqlite-driver.ts'

/**
 * SQLite through `better-sqlite3`.
 *
 * @param database  a connection that only the store uses. The store sets it to WAL, `synchronous = FULL` and no timeout. You
 * close it.
 * @example
 * ```ts
 * import { betterSqlite, sqliteStore } from '@notewire/webhooks/sqlite'
 * import Database from 'better-sqlite3'
 *
 * const store = sqliteStore(betterSqlite(new Database('app.db')))
 * await store.migrate()
 *
 * // The connection for your own rows and `context.commit(database)`. Without the pragma, a power cut can undo its latest commits.
 * const database = new Database('app.db')
 * database.pragma('synchronous = FULL')
 * ```
 */
export function betterSqlite(database: SqliteConnection): SqliteDriver<SqliteConnection> {
  return connectionDriver(() => database)
}
