import { type Clock, refuseUnknownOptions, refuseWithoutMethods } from '@notewire/protocol'
import {
  type Durability,
  driverOf,
  explainMissingTables,
  type SqliteDriver,
  type SqliteRow,
  type SqliteStatement,
  whenFree,
} from '@notewire/storage'
import type { ClaimRequest, ReceiverStore } from '../../interfaces/store.ts'
import type { LookResult } from '../../interfaces/transaction-store.ts'
import { lookResult } from '../look-result.ts'
import { commitStatements, releaseStatements, renewStatements, wasHeld } from './lease-statements.ts'
import { pruneTables } from './pruning.ts'
import { FIND_SCHEMA, SCHEMA } from './schema.ts'
import { forgetStatement, knownEvent, lookStatement, tokenIn, writeStatements } from './statements.ts'

/** A store in SQLite. */
export interface SqliteStore extends ReceiverStore {
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
 * @param database  the path of a file for `node:sqlite`, or a driver
 * @throws OptionError if `database` is neither, or for an unknown option
 * @throws NodeSqliteMissingError from the operations of a store with a path, if the runtime has no `node:sqlite`
 * @throws SqliteFolderMissingError from the operations of a store with a path, if the folder of the file does not exist;
 * SqliteNotAFileError, SqliteFolderReadOnlyError
 * @throws SqliteNotMigratedError from the operations of the store, if `migrate` was not called
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { sqliteStore } from '@notewire/webhooks/sqlite'
 *
 * const store = sqliteStore('app.db')
 * await store.migrate()
 * export const receiver = createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], store, on: {} })
 * ```
 */
export function sqliteStore(database: string | SqliteDriver<never>, options: SqliteStoreOptions = {}): SqliteStore {
  refuseUnknownOptions('sqliteStore', options, { clock: true })
  const { clock } = options
  if (clock !== undefined) refuseWithoutMethods('clock', clock, ['now'])
  const driver = driverOf(database, {
    path: "sqliteStore('events.db')",
    driver: "sqliteStore(betterSqlite(new Database('events.db')))",
  })
  const now = () => (clock === undefined ? null : Math.floor(clock.now()))
  const { look, write, writeHeld, forget, prune, migrate } = sqliteTables(driver, now)

  return {
    async claim(request) {
      const found = await look(request)
      if (found.status !== 'new') return found
      const fencingToken = await write(request, { ...found.seen, leaseMs: request.leaseMs })
      if (fencingToken === undefined) return { status: 'busy' }
      return { status: 'claimed', claim: { request, fencingToken, applied: found.seen.applied } }
    },
    async renew(claim, leaseMs) {
      return (await writeHeld(renewStatements(claim, leaseMs, now()))) ? 'renewed' : 'lost'
    },
    async commit(claim) {
      return (await writeHeld(commitStatements(claim, now()), 'power-cut')) ? 'committed' : 'lost'
    },
    async release(claim) {
      await writeHeld(releaseStatements(claim))
    },
    forget,
    prune,
    migrate,
    async close() {
      driver.close?.()
    },
  }
}

/**
 * The operations on the tables, which `sqliteTransactions` has as well.
 *
 * @param now  the time of the caller; `null` for the time of the database
 */
export function sqliteTables(driver: SqliteDriver<never>, now: () => number | null) {
  const batch = async (statements: readonly SqliteStatement[], outlives: Durability = 'process') => {
    try {
      return await whenFree(() => driver.batch(statements, outlives))
    } catch (error) {
      throw explainMissingTables(error, driver.path, CALL_MIGRATE)
    }
  }

  return {
    async look(request: ClaimRequest): Promise<LookResult> {
      const [[row] = []] = await batch([lookStatement(request, now())])
      return lookResult(request, knownEvent(row))
    },
    async write(request: ClaimRequest, writing: Parameters<typeof writeStatements>[1]) {
      return tokenIn(await batch(writeStatements(request, writing, now())))
    },
    /** @returns whether the claim was current */
    async writeHeld(statements: readonly SqliteStatement[], outlives?: Durability): Promise<boolean> {
      return wasHeld(await batch(statements, outlives))
    },
    async forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
      return hasRow(await batch([forgetStatement(integration, eventId)], 'power-cut')) ? 'forgotten' : 'unknown'
    },
    prune: () => pruneTables(batch, now),
    async migrate(): Promise<void> {
      // Reading needs no lock: if nothing is missing, a start does not wait for other writers.
      if (!hasRow(await batch([FIND_SCHEMA]))) await batch(SCHEMA, 'power-cut')
    },
  }
}

/** What to do if the tables are missing. */
export const CALL_MIGRATE =
  'Call "await store.migrate()" at each start, before the receiver gets its first delivery. If you do call it, it used another ' +
  'file: check the path and the working directory.'

function hasRow(rows: readonly SqliteRow[][]): boolean {
  return rows[0]?.[0] !== undefined
}
