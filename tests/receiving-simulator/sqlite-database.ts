import { DatabaseSync } from 'node:sqlite'
import type { Claim } from '@notewire/webhooks'
import { betterSqlite, type SqliteStore, sqliteStore } from '@notewire/webhooks/sqlite'
import type { CallingProcess, Database, Transaction } from './database.ts'
import { type HandlerCall, rowOf } from './handler-call.ts'
import type { HistoryContext } from './history-context.ts'

/** `sqliteStore` in a real database, with real transactions of the handlers. Each history starts with empty tables. */
export async function openSqliteDatabase(): Promise<(context: HistoryContext) => Database> {
  const connection = new DatabaseSync(':memory:')
  await sqliteStore(betterSqlite(connection)).migrate()
  connection.exec('CREATE TABLE rows (position INTEGER PRIMARY KEY, row TEXT NOT NULL)')
  const insert = connection.prepare('INSERT INTO rows (row) VALUES (?)')
  const select = connection.prepare('SELECT row FROM rows ORDER BY position')

  return (context) => {
    connection.exec('DELETE FROM notewire_events; DELETE FROM notewire_notes; DELETE FROM rows')
    const store = sqliteStore(betterSqlite(connection), { clock: context.schedule.clock(0) })

    function write(call: HandlerCall): void {
      insert.run(rowOf(call))
      context.checker.effectWritten(call)
    }

    function writeInTransaction(
      call: HandlerCall,
      process: CallingProcess,
      commit: (transaction: Transaction) => Promise<void>,
    ): undefined {
      call.committing = true
      connection.exec('BEGIN IMMEDIATE')
      try {
        insert.run(rowOf(call))
        void commit({ commitClaim: (claim) => commitIn(store, connection, claim) })
        if (context.occurs('failingHandler')) throw new Error('the transaction was rolled back')
        process.maybeCrash('before its transaction commits')
      } catch (error) {
        connection.exec('ROLLBACK')
        process.tell('rolls back')
        // Some handlers rethrow the error of their transaction, others swallow it.
        if (context.random.chance(0.5)) throw error
        return
      }
      if (process.dead) {
        connection.exec('ROLLBACK')
        return
      }
      connection.exec('COMMIT')
      process.tell('commits its transaction')
      context.checker.effectWritten(call)
      context.checker.committed(call.grant, call)
      call.ended = true
      if (context.occurs('failingHandler')) throw new Error('the connection broke after the commit')
    }

    return { store, write, writeInTransaction, rows: () => select.all().map(({ row }) => String(row)) }
  }
}

function commitIn(store: SqliteStore<DatabaseSync>, connection: DatabaseSync, claim: Claim) {
  return store.commitIn?.(connection, claim) ?? 'lost'
}
