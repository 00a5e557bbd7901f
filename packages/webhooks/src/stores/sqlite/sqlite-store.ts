import { type Clock, OptionError, refuseUnknownOptions } from '@notewire/protocol'
import { refuseWithoutMethods } from '../../receiver/option-checks.ts'
import type { Claim, CommitResult, ReceiverStore } from '../store.ts'
import { whenFree } from './busy.ts'
import { claimStatements, readClaim } from './claiming.ts'
import { commitStatements, forgetStatement, foundAny, releaseStatements, renewStatements } from './ending.ts'
import { nodeSqlite } from './node-sqlite.ts'
import { pruneTables } from './pruning.ts'
import { SCHEMA } from './schema.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { Durability, SqliteDriver, SqliteRow, SqliteStatement } from './sqlite-driver.ts'

/** A store in a database of SQLite. */
export interface SqliteStore<Transaction = never> extends ReceiverStore<Transaction> {
  /**
   * Makes the tables `notewire_events` and `notewire_notes` where they are not there yet. Call it before the first event;
   * any number of processes may at once.
   */
  migrate(): Promise<void>
  /** Closes the connection, where the store has opened it. */
  close(): Promise<void>
}

/** What `sqliteStore` takes beside the database. */
export interface SqliteStoreOptions {
  /** Tells the time of leases and of what is kept. Without it the database does, which is what instances share. */
  readonly clock?: Pick<Clock, 'now'> | undefined
}

/**
 * A store in SQLite: in a file that all processes of one machine share, in a Durable Object, or in D1.
 *
 * It has a connection of its own, in WAL mode. An operation that finds another connection writing tries again for 5 s
 * without blocking the thread. Call `prune` now and then, as by an hourly timer.
 *
 * A handler marks its event in its own transaction, on its own connection to the same database, by `context.commit(db)`:
 * synchronously, and throwing there when the claim was lost. Begin with `BEGIN IMMEDIATE`, since a transaction that has
 * read before it writes may find that it cannot.
 *
 * @param database  the path of a file for `node:sqlite`, or a driver
 * @throws OptionError for what is neither, or an unknown option
 * @throws NodeSqliteMissingError from its operations, for a path where the runtime has no `node:sqlite`
 * @example
 * ```ts
 * import { DatabaseSync } from 'node:sqlite'
 * import { createReceiver } from '@notewire/webhooks'
 * import { sqliteStore } from '@notewire/webhooks/sqlite'
 *
 * const database = new DatabaseSync('app.db', { timeout: 1_000 })
 * const store = sqliteStore('app.db')
 * await store.migrate()
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   store,
 *   on: {
 *     'note.deleted': ({ data }, context) => {
 *       database.exec('BEGIN IMMEDIATE')
 *       try {
 *         database.prepare('DELETE FROM summaries WHERE note_id = ?').run(data.note_id)
 *         void context.commit(database)
 *         database.exec('COMMIT')
 *       } catch (error) {
 *         database.exec('ROLLBACK')
 *         throw error
 *       }
 *     },
 *   },
 * })
 * ```
 */
export function sqliteStore(database: string, options?: SqliteStoreOptions): SqliteStore<SqliteConnection>
/** The same over a driver, which says what `context.commit` takes. */
export function sqliteStore<Transaction>(
  database: SqliteDriver<Transaction>,
  options?: SqliteStoreOptions,
): SqliteStore<Transaction>
export function sqliteStore<Transaction>(
  database: string | SqliteDriver<Transaction>,
  options: SqliteStoreOptions = {},
): SqliteStore<SqliteConnection> | SqliteStore<Transaction> {
  refuseUnknownOptions('sqliteStore', options, ['clock'])
  if (options.clock !== undefined) refuseWithoutMethods('clock', options.clock, ['now'])
  refuseWhatIsNoDatabase(database)
  return typeof database === 'string' ? storeOver(nodeSqlite(database), options) : storeOver(database, options)
}

function refuseWhatIsNoDatabase(database: string | { readonly batch?: unknown } | null | undefined): void {
  if (typeof database === 'string' ? database !== '' : typeof database?.batch === 'function') return
  throw new OptionError(
    'database',
    "sqliteStore needs the path of a file, as in sqliteStore('events.db'), or a driver, as in " +
      "sqliteStore(betterSqlite(new Database('events.db'))).",
  )
}

function storeOver<Transaction>(
  driver: SqliteDriver<Transaction>,
  { clock }: SqliteStoreOptions,
): SqliteStore<Transaction> {
  const now = () => (clock === undefined ? null : Math.floor(clock.now()))
  const batch = (statements: readonly SqliteStatement[], outlives: Durability) =>
    whenFree(() => driver.batch(statements, outlives))
  const batchIn = driver.batchIn?.bind(driver)

  return {
    async claim(request) {
      return readClaim(await batch(claimStatements(request, now()), 'process'), request)
    },
    async renew(claim, leaseMs) {
      return foundAny(await batch(renewStatements(claim, leaseMs, now()), 'process')) ? 'renewed' : 'lost'
    },
    async commit(claim) {
      return commitResult(await batch(commitStatements(claim, now()), 'power-cut'))
    },
    ...(batchIn && {
      commitIn: (transaction: Transaction, claim: Claim) =>
        commitResult(batchIn(transaction, commitStatements(claim, now()))),
    }),
    async release(claim) {
      await batch(releaseStatements(claim), 'process')
    },
    async forget(scope, eventId) {
      return foundAny(await batch([forgetStatement(scope, eventId, now())], 'power-cut')) ? 'forgotten' : 'unknown'
    },
    prune: () => pruneTables((statements) => batch(statements, 'process'), now),
    async migrate() {
      await batch(SCHEMA, 'power-cut')
    },
    async close() {
      driver.close?.()
    },
  }
}

function commitResult(rows: readonly SqliteRow[][]): CommitResult {
  return foundAny(rows) ? 'committed' : 'lost'
}
