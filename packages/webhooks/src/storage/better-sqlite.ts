import { connectionDriver, type SqliteConnection } from './sqlite-connection.ts'
import type { SqliteDriver } from './sqlite-driver.ts'

/**
 * SQLite through `better-sqlite3`.
 *
 * @param database  a connection that only the store uses. The store sets it to WAL, `synchronous = FULL` and no timeout. You
 * close it.
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { betterSqlite, sqliteStore } from '@notewire/webhooks/sqlite'
 * import Database from 'better-sqlite3'
 *
 * const database = new Database('app.db')
 * // Without it, a power cut can undo the latest commits of better-sqlite3.
 * database.pragma('synchronous = FULL')
 * const store = sqliteStore(betterSqlite(new Database('app.db')))
 * await store.migrate()
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   store,
 *   on: {
 *     'note.deleted': ({ data }, context) =>
 *       database
 *         .transaction(() => {
 *           database.prepare('DELETE FROM summaries WHERE note_id = ?').run(data.note_id)
 *           void context.commit(database)
 *         })
 *         .immediate(),
 *   },
 * })
 * ```
 */
export function betterSqlite(database: SqliteConnection): SqliteDriver<SqliteConnection> {
  return connectionDriver(() => database)
}
