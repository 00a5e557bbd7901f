import { DatabaseSync } from 'node:sqlite'
import { betterSqlite, sqliteStore, sqliteTransactions } from '@notewire/webhooks/sqlite'
import type { Database } from './database.ts'
import { rowOf } from './handler-call.ts'
import type { HistoryContext } from './history-context.ts'

/** `sqliteStore` and `sqliteTransactions` in a real database. Each history starts with empty tables. */
export async function openSqliteDatabase(): Promise<(context: HistoryContext) => Database> {
  const connection = new DatabaseSync(':memory:')
  await sqliteStore(betterSqlite(connection)).migrate()
  connection.exec('CREATE TABLE rows (position INTEGER PRIMARY KEY, row TEXT NOT NULL)')
  const insert = connection.prepare('INSERT INTO rows (row) VALUES (?)')
  const select = connection.prepare('SELECT row FROM rows ORDER BY position')

  return ({ scenario, schedule }) => {
    connection.exec('DELETE FROM notewire_events; DELETE FROM notewire_notes; DELETE FROM rows')
    const store = sqliteStore(betterSqlite(connection), { clock: schedule.clock(0) })
    // With the clock of the database: nothing depends on it without leases.
    const transactions = scenario.effects === 'with the commit' ? sqliteTransactions(connection) : undefined
    return {
      store: { ...store, ...(transactions && { forget: transactions.forget, prune: transactions.prune }) },
      transactions,
      write: (call) => void insert.run(rowOf(call)),
      rows: () => select.all().map(({ row }) => String(row)),
    }
  }
}
