import { DatabaseSync } from 'node:sqlite'
import type { Claim } from '@notewire/webhooks'
import { betterSqlite, type SqliteStore, sqliteStore } from '@notewire/webhooks/sqlite'
import type { AskingProcess, Database, Transaction } from './database.ts'
import { type HandlerCall, rowOf } from './handler-call.ts'
import type { Stage } from './stage.ts'

/** `sqliteStore` in a real database, whose transactions are the handlers' own. Emptied for each history. */
export async function openSqliteDatabase(): Promise<(stage: Stage) => Database> {
  const connection = new DatabaseSync(':memory:')
  await sqliteStore(betterSqlite(connection)).migrate()
  connection.exec('CREATE TABLE rows (position INTEGER PRIMARY KEY, row TEXT NOT NULL)')
  const insert = connection.prepare('INSERT INTO rows (row) VALUES (?)')
  const select = connection.prepare('SELECT row FROM rows ORDER BY position')

  return (stage) => {
    connection.exec('DELETE FROM notewire_events; DELETE FROM notewire_notes; DELETE FROM rows')
    const store = sqliteStore(betterSqlite(connection), { clock: stage.schedule.clock(0) })

    function write(call: HandlerCall): void {
      insert.run(rowOf(call))
      stage.judge.landed(call)
    }

    function writeInTransaction(
      call: HandlerCall,
      process: AskingProcess,
      commit: (transaction: Transaction) => Promise<void>,
    ): undefined {
      call.marking = true
      connection.exec('BEGIN IMMEDIATE')
      try {
        insert.run(rowOf(call))
        void commit({ mark: (claim) => markIn(store, connection, claim) })
        if (stage.strikes('failingHandler')) throw new Error('the transaction was rolled back')
        process.mayCrash('before its transaction commits')
      } catch (error) {
        connection.exec('ROLLBACK')
        process.tell('rolls back')
        // Some let the error of their transaction leave the handler; some swallow it.
        if (stage.random.chance(0.5)) throw error
        return
      }
      if (process.dead) {
        connection.exec('ROLLBACK')
        return
      }
      connection.exec('COMMIT')
      process.tell('commits its transaction')
      stage.judge.landed(call)
      stage.judge.marked(call.grant, call)
      call.ended = true
      if (stage.strikes('failingHandler')) throw new Error('the connection broke after the commit')
    }

    return { store, write, writeInTransaction, rows: () => select.all().map(({ row }) => String(row)) }
  }
}

function markIn(store: SqliteStore<DatabaseSync>, connection: DatabaseSync, claim: Claim) {
  return store.commitIn?.(connection, claim) ?? 'lost'
}
