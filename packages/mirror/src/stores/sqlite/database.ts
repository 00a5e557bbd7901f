import { systemClock } from '@notewire/protocol'
import {
  type Durability,
  type SqliteDriver,
  type SqliteRow,
  type SqliteStatement,
  whenFree,
} from '@notewire/webhooks/storage'
import { PurgeIncompleteError } from '../purge-incomplete-error.ts'

const READER_PATIENCE_MS = 5_000
const READER_PAUSE_MS = 50

/**
 * A database that overwrites deleted rows (`secure_delete`) and truncates the write-ahead log, which contains earlier pages
 * (`wal_checkpoint`). SQLite leaves pieces of rows that it moved from page to page: `writeAnew` removes them.
 *
 * A Durable Object and D1 refuse these settings: there the host decides what becomes of deleted bytes.
 */
export class ErasingDatabase {
  readonly #driver: SqliteDriver
  #isOpen = false
  /** Whether the host refuses statements about the file, as a Durable Object and D1 do. */
  #isHosted = false
  /** Whether the log may hold erased content: also at the start, because a process may have died after its commit. */
  #hasTraces = true

  constructor(driver: SqliteDriver) {
    this.#driver = driver
  }

  /** Whether the host controls the file and the erased bytes in it. Known after the first statement. */
  get isHosted(): boolean {
    return this.#isHosted
  }

  /** Runs statements in one transaction, and waits while other connections write. */
  async run(statements: readonly SqliteStatement[], outlives: Durability): Promise<readonly SqliteRow[][]> {
    if (!this.#isOpen) await this.#open()
    return await whenFree(() => this.#driver.batch(statements, outlives))
  }

  /** Reads with one statement, which waits for no lock. */
  async read(statement: SqliteStatement): Promise<readonly SqliteRow[]> {
    const [rows = []] = await this.run([statement], 'process')
    return rows
  }

  /** Records that something was erased. */
  leaveTraces(): void {
    this.#hasTraces = true
  }

  /** Truncates the log if it may hold erased content and no connection reads from it; otherwise the next call does. */
  async removeTraces(): Promise<void> {
    if (!this.#hasTraces || this.#isHosted) return
    try {
      const [rows] = await this.#driver.batch([CUT_LOG], 'power-cut')
      this.#hasTraces = rows?.[0]?.['busy'] === 1
    } catch {
      // The erasure is committed, and the next call tries again.
    }
  }

  /**
   * Rewrites the whole file, without the gaps in which SQLite leaves erased bytes.
   *
   * @throws PurgeIncompleteError if a reader keeps the old pages in use for 5 s
   */
  async writeAnew(): Promise<void> {
    if (!this.#isOpen) await this.#open()
    if (this.#isHosted) return
    await this.run([VACUUM], 'power-cut')
    this.leaveTraces()
    for (let waitedMs = 0; ; waitedMs += READER_PAUSE_MS) {
      await this.removeTraces()
      if (!this.#hasTraces) return
      if (waitedMs >= READER_PATIENCE_MS) throw new PurgeIncompleteError('held_back')
      await systemClock.sleep(READER_PAUSE_MS)
    }
  }

  close(): void {
    this.#driver.close?.()
    this.#isOpen = false
    this.#hasTraces = true
  }

  async #open(): Promise<void> {
    try {
      await whenFree(() => this.#driver.batch([OVERWRITE], 'process'))
    } catch (error) {
      if (!isRefused(error)) throw error
      this.#isHosted = true
    }
    this.#isOpen = true
  }
}

const OVERWRITE: SqliteStatement = { sql: 'PRAGMA secure_delete = ON', parameters: [] }
const CUT_LOG: SqliteStatement = { sql: 'PRAGMA wal_checkpoint(TRUNCATE)', parameters: [] }
const VACUUM: SqliteStatement = { sql: 'VACUUM', parameters: [] }

/** In a Durable Object and D1. By its text, the only thing that their errors share. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes('not authorized')
}
