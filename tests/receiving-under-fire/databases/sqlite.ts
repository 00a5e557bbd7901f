import { DatabaseSync } from 'node:sqlite'
import { type SqliteConnection, sqliteStore } from '@notewire/webhooks/sqlite'
import type { WorkerDatabase } from './worker-database.ts'

/** Opens the shared file twice: for the store and for the handlers. */
export function openSqlite(path: string): WorkerDatabase<SqliteConnection> {
  const store = sqliteStore(path)
  const database = new DatabaseSync(path, { timeout: 1_000 })
  const insert = database.prepare('INSERT INTO effects (integration, event_id, run) VALUES (?, ?, ?)')
  return {
    store,
    writeInTransaction({ integration, eventId, run }, commit, onEnd) {
      database.exec('BEGIN IMMEDIATE')
      try {
        insert.run(integration, eventId, run)
        void commit(database)
        onEnd()
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
