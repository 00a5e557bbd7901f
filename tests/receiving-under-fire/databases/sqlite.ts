import { DatabaseSync } from 'node:sqlite'
import { type SqliteConnection, sqliteStore } from '@notewire/webhooks/sqlite'
import type { WorkerDatabase } from './worker-database.ts'

/** Opens the file that all workers share: once for the store, and once for the handlers. */
export function openSqlite(path: string): WorkerDatabase<SqliteConnection> {
  const store = sqliteStore(path)
  const database = new DatabaseSync(path, { timeout: 1_000 })
  const insert = database.prepare('INSERT INTO effects (integration, event_id, run) VALUES (?, ?, ?)')
  return {
    store,
    writeWithMark({ integration, eventId, run }, mark, leave) {
      database.exec('BEGIN IMMEDIATE')
      try {
        insert.run(integration, eventId, run)
        void mark(database)
        leave()
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
      return undefined
    },
    async close() {
      database.close()
      await store.close()
    },
  }
}
