import { OptionError } from '@notewire/protocol'
import {
  type DurableObjectSqlStorage,
  explainMissingTables,
  type SqliteConnection,
  type SqliteStatement,
  type SynchronousSqlite,
  synchronousConnection,
  synchronousObject,
  whenFree,
} from '@notewire/storage'
import type { ClaimRequest } from '../../interfaces/store.ts'
import {
  type Seen,
  TransactionEndedError,
  type TransactionResult,
  type TransactionStore,
  type TransactionWork,
} from '../../interfaces/transaction-store.ts'
import { CALL_MIGRATE, type SqliteStore, sqliteTables } from './sqlite-store.ts'
import { reviseStatement, takeBackStatement, tokenIn, writeStatements } from './statements.ts'

/** A store of which the receiver processes each event in one transaction of SQLite. */
export interface SqliteTransactions<Transaction> extends TransactionStore<Transaction>, Pick<SqliteStore, 'migrate'> {}

/**
 * Has the receiver process each event in one transaction of SQLite: the processed record of the event, the revision of its note and the rows
 * of the handler are committed together, or not at all. Handlers get the connection as `context.transaction`, inside `BEGIN IMMEDIATE`.
 *
 * Handlers must be synchronous, because the connection has one transaction: a handler that returns a promise is rolled back and fails. What
 * is asynchronous, such as a request, belongs into the option `prepare`, which runs before the transaction. While another connection writes,
 * the receiver tries again for 5 s without blocking the thread.
 *
 * It has the same tables as `sqliteStore`. Call `migrate` before the first event, and `prune` from an hourly timer.
 *
 * @param database  your connection, of `node:sqlite` or `better-sqlite3`. The store sets it to `synchronous = FULL`. With several processes,
 * set `PRAGMA journal_mode = WAL`: otherwise a reader can make a commit fail, and the service must send the event again. Do not leave a
 * transaction of yours open on it while you wait for a promise
 * @throws OptionError if `database` is no connection
 * @example
 * ```ts
 * import { DatabaseSync } from 'node:sqlite'
 * import { createReceiver } from '@notewire/webhooks'
 * import { sqliteTransactions } from '@notewire/webhooks/sqlite'
 *
 * const store = sqliteTransactions(new DatabaseSync('app.db'))
 * await store.migrate()
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   store,
 *   on: {
 *     'note.deleted': ({ data }, { transaction }) =>
 *       transaction.prepare('DELETE FROM copies WHERE note_id = ?').run(data.note_id),
 *   },
 * })
 * ```
 */
export function sqliteTransactions<Connection extends SqliteConnection>(
  database: Connection,
): SqliteTransactions<Connection> {
  return transactionsOf(synchronousConnection(database))
}

/**
 * The same in a Durable Object: each event is processed in one `transactionSync`.
 *
 * @param storage  `ctx.storage` of a class that the configuration lists in `new_sqlite_classes`
 * @throws OptionError if `storage` has no `transactionSync`
 */
export function durableObjectTransactions<Storage extends DurableObjectSqlStorage>(
  storage: Storage,
): SqliteTransactions<Storage> {
  return transactionsOf(synchronousObject(storage))
}

/** The store over a database whose transactions are synchronous functions. */
function transactionsOf<Transaction>(database: SynchronousSqlite<Transaction>): SqliteTransactions<Transaction> {
  const driver = {
    // A single statement is its own transaction, and a look waits for no writer.
    batch: (statements: readonly SqliteStatement[]) =>
      statements.length === 1 ? database.run(statements) : database.inTransaction(() => database.run(statements)),
    get path() {
      return database.path
    },
  }
  const { look, forget, migrate, prune } = sqliteTables(driver, () => null)
  return {
    look,
    async transact(request, seen, work) {
      let failure: { readonly error: unknown } | undefined
      let token: string | undefined
      const marked = (written: string) => {
        token = written
      }
      const result = await whenFree(() => {
        let hasBegun = false
        let isCommitting = false
        try {
          return database.inTransaction(() => {
            hasBegun = true
            const result = transactNow(database, request, seen, work, marked)
            isCommitting = true
            return result
          })
        } catch (error) {
          if (isCommitting && isConstraint(error)) return { status: 'refused', error } as const
          // If it could not begin, another connection may be writing.
          if (!hasBegun) throw error
          failure = { error }
          return undefined
        }
      }).catch((error: unknown) => {
        throw explainMissingTables(error, database.path, CALL_MIGRATE)
      })
      if (result !== undefined) return result
      // The handler may have committed the mark. The mark of another process has another token.
      const mark = token
      if (mark !== undefined)
        await whenFree(() => database.run([takeBackStatement(request, mark)])).catch(() => undefined)
      throw failure?.error
    },
    forget,
    migrate,
    prune,
  }
}

function transactNow<Transaction>(
  database: SynchronousSqlite<Transaction>,
  request: ClaimRequest,
  seen: Seen,
  work: TransactionWork<Transaction>,
  marked: (token: string) => void,
): TransactionResult {
  const change = work.change()
  const mark = writeStatements(request, { ...seen, keepMs: request.keepMs, change }, null)
  const token = tokenIn(database.run(mark))
  if (token === undefined) return { status: 'changed' }
  marked(token)
  database.handle(() => refusePromise(work.call(database.transaction)), endedBy)
  const after = work.change()
  if (after?.revision !== change?.revision) {
    database.run([reviseStatement(request, { applied: seen.applied, change: after }, null)])
  }
  return { status: 'committed' }
}

function endedBy(cause: unknown, isIterating: boolean): TransactionEndedError {
  return new TransactionEndedError(isIterating ? STILL_ITERATING : undefined, cause)
}

const STILL_ITERATING =
  'an iterator of the handler was still open when the handler returned. Read it to its end, leave the loop with break, or call its method ' +
  'return: otherwise the connection refuses all later writes, too. The event was rolled back and will be retried.'

// A deferred foreign key fails at the commit. The codes of the drivers differ, and the message is the same.
function isConstraint(error: unknown): boolean {
  return error instanceof Error && error.message.includes('constraint failed')
}

function refusePromise(returned: unknown): void {
  if (typeof (returned as Partial<PromiseLike<unknown>> | null | undefined)?.then !== 'function') return
  // It may reject later.
  Promise.resolve(returned).catch(() => undefined)
  throw new OptionError(
    'on',
    'a handler returned a promise, but a transaction of SQLite is synchronous: what the handler writes later would not be part of it. ' +
      'Do what is asynchronous in the option prepare, and write without await. The event was rolled back and will be retried.',
  )
}
