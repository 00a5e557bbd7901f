import { OptionError } from '@notewire/protocol'
import type { TransactionStore } from '../../interfaces/transaction-store.ts'
import { type DurableObjectSqlStorage, runAll as runInDurableObject } from '../../storage/durable-object-sqlite.ts'
import { inTransaction, runAll, type SqliteConnection } from '../../storage/sqlite-connection.ts'
import type { SqliteStore } from './sqlite-store.ts'
import { transactionsOf } from './synchronous-transactions.ts'

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
 * @param database  your connection, of `node:sqlite` or `better-sqlite3`. The store sets it to `synchronous = FULL`. Do not leave a transaction
 * of yours open on it while you wait for a promise
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
  const given: Partial<SqliteConnection> | null | undefined = database
  if (typeof given?.exec !== 'function' || typeof given.prepare !== 'function') {
    throw new OptionError(
      'database',
      "database needs a connection, such as new DatabaseSync('app.db') of node:sqlite or new Database('app.db') of better-sqlite3. " +
        'D1 has no transactions for handlers: use sqliteStore(d1(env.DB)).',
    )
  }
  let isDurable = false
  const durable = () => {
    // Otherwise a power cut could undo the latest events, which the service would not send again.
    if (!isDurable) database.exec('PRAGMA synchronous = FULL')
    isDurable = true
    return database
  }
  return transactionsOf({
    transaction: database,
    run: (statements) => runAll(durable(), statements),
    inTransaction: (work) => inTransaction(durable(), work),
    isOpen: () => database.isTransaction ?? database.inTransaction ?? true,
  })
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
  const given: Partial<DurableObjectSqlStorage> | null | undefined = storage
  if (typeof given?.transactionSync !== 'function') {
    throw new OptionError('storage', 'storage needs ctx.storage of a Durable Object with SQLite.')
  }
  return transactionsOf({
    transaction: storage,
    run: (statements) => runInDurableObject(storage, statements),
    inTransaction: (work) => storage.transactionSync(work),
    isOpen: () => true,
  })
}
