import { type Clock, refuseUnknownOptions, refuseWithoutMethods } from '@notewire/protocol'
import type { Claim, CommitResult, ReceiverStore } from '../../interfaces/store.ts'
import { driverOf } from '../../storage/node-sqlite.ts'
import type { SqliteConnection } from '../../storage/sqlite-connection.ts'
import type { Durability, SqliteDriver, SqliteRow, SqliteStatement } from '../../storage/sqlite-driver.ts'
import { explainMissingTables } from '../../storage/sqlite-errors.ts'
import { whenFree } from '../../storage/when-free.ts'
import { claimStatements, readClaim } from './claiming.ts'
import { commitStatements, forgetStatement, hasRow, releaseStatements, renewStatements } from './ending.ts'
import { pruneTables } from './pruning.ts'
import { FIND_SCHEMA, SCHEMA } from './schema.ts'

/** A store in SQLite. */
export interface SqliteStore<Transaction = never> extends ReceiverStore<Transaction> {
  /**
   * Creates the tables `notewire_events` and `notewire_notes` if they are missing. Call it at every start, before the first
   * event; any number of processes may call it at once. If nothing is missing it waits for no writer.
   */
  migrate(): Promise<void>
  /** Closes the connection, if the store opened it. */
  close(): Promise<void>
}

/** The options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The clock for leases and for the time to keep records. @default the clock of the database, which instances share */
  readonly clock?: Pick<Clock, 'now'> | undefined
}

/**
 * A store in SQLite: in a file that all processes of one machine share, in a Durable Object, or in D1.
 *
 * The store uses a connection of its own, in WAL mode. While another connection writes, an operation retries for 5 s without
 * blocking the thread. Call `prune` from an hourly timer.
 *
 * A handler commits its event in its own transaction, on its own connection to the same database, with
 * `context.commit(db)`: synchronously, and it throws if the claim was lost. Begin with `BEGIN IMMEDIATE`, because a
 * transaction that reads before it writes can fail at the write.
 *
 * @param database  the path of a file for `node:sqlite`, or a driver
 * @throws OptionError if `database` is neither, or for an unknown option
 * @throws NodeSqliteMissingError from the operations of a store with a path, if the runtime has no `node:sqlite`
 * @throws SqliteFolderMissingError from the operations of a store with a path, if the folder of the file does not exist
 * @throws SqliteNotMigratedError from the operations of the store, if `migrate` was not called
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
/** The same over a driver. The type of the driver determines what `context.commit` takes. */
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
  const driver = driverOf(database, {
    path: "sqliteStore('events.db')",
    driver: "sqliteStore(betterSqlite(new Database('events.db')))",
  })
  return storeOver<SqliteConnection & Transaction>(driver, options)
}

function storeOver<Transaction>(
  driver: SqliteDriver<Transaction>,
  { clock }: SqliteStoreOptions,
): SqliteStore<Transaction> {
  const now = () => (clock === undefined ? null : Math.floor(clock.now()))
  const batch = async (statements: readonly SqliteStatement[], outlives: Durability) => {
    try {
      return await whenFree(() => driver.batch(statements, outlives))
    } catch (error) {
      throw explainMissingTables(error, driver.path, CALL_MIGRATE)
    }
  }
  const batchIn = driver.batchIn?.bind(driver)

  return {
    async claim(request) {
      return readClaim(await batch(claimStatements(request, now()), 'process'), request)
    },
    async renew(claim, leaseMs) {
      return hasRow(await batch(renewStatements(claim, leaseMs, now()), 'process')) ? 'renewed' : 'lost'
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
    async forget(integration, eventId) {
      return hasRow(await batch([forgetStatement(integration, eventId, now())], 'power-cut')) ? 'forgotten' : 'unknown'
    },
    prune: () => pruneTables((statements) => batch(statements, 'process'), now),
    async migrate() {
      // Reading needs no lock: if nothing is missing, a start does not wait for other writers.
      if (!hasRow(await batch([FIND_SCHEMA], 'process'))) await batch(SCHEMA, 'power-cut')
    },
    async close() {
      driver.close?.()
    },
  }
}

const CALL_MIGRATE =
  'Call "await store.migrate()" at each start, before the receiver gets its first delivery. If you do call it, it used another ' +
  'file: check the path and the working directory.'

function commitResult(rows: readonly SqliteRow[][]): CommitResult {
  return hasRow(rows) ? 'committed' : 'lost'
}
