import { connectionDriver, type SqliteConnection } from './sqlite-connection.ts'
import type { SqliteDriver } from './sqlite-driver.ts'

/**
 * SQLite by `better-sqlite3`.
 *
 * @param database  a connection that only the store uses; it is set to WAL, `synchronous = FULL` and no timeout, and is
 * yours to close
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { betterSqlite, sqliteStore } from '@notewire/webhooks/sqlite'
 * import Database from 'better-sqlite3'
 *
 * const database = new Database('app.db')
 * // better-sqlite3 lets a power cut take back what was committed last, unless it is told not to.
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
