import { DatabaseSync } from 'node:sqlite'
import { type SqliteConnection, sqliteStore, sqliteTransactions } from '@notewire/webhooks/sqlite'
import type { Effect, WorkerDatabase } from './worker-database.ts'

/**
 * Opens the shared file twice: for the store and for the handlers.
 *
 * @param opensTransactions  whether the receiver opens the transactions, on the connection of the handlers
 */
export function openSqlite(path: string, opensTransactions: boolean): WorkerDatabase<SqliteConnection> {
  const store = sqliteStore(path)
  const database = new DatabaseSync(path, { timeout: 1_000 })
  return {
    store,
    transactions: opensTransactions ? { store: sqliteTransactions(database), write } : undefined,
    async close() {
      database.close()
      await store.close()
    },
  }
}

function write(connection: SqliteConnection, { integration, eventId, run }: Effect): undefined {
  connection.prepare('INSERT INTO effects (integration, event_id, run) VALUES (?, ?, ?)').run(integration, eventId, run)
}
