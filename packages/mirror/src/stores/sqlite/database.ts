import { systemClock } from '@notewire/protocol'
import {
  type Durability,
  explainMissingTables,
  type SqliteDriver,
  type SqliteRow,
  type SqliteStatement,
  whenFree,
} from '@notewire/storage'
import { PurgeIncompleteError } from './errors.ts'

const READER_TIMEOUT_MS = 5_000
const READER_PAUSE_MS = 50

/**
 * A database that overwrites deleted rows (`secure_delete`), and truncates the write-ahead log (`wal_checkpoint`), which contains earlier pages.
 * Fragments of rows that SQLite has moved between pages remain until `vacuum`.
 *
 * A Durable Object and D1 reject these settings: there the host controls the deleted bytes.
 */
export class ErasingDatabase {
  readonly #driver: SqliteDriver
  #isOpen = false
  /** Whether the host rejects statements about the file, as a Durable Object and D1 do. */
  #isHosted = false
  /** Whether the log may contain erased content. Initially true, because a process may have died after its commit. */
  #mayLogHoldErased = true

  constructor(driver: SqliteDriver) {
    this.#driver = driver
  }

  /** Whether the host controls the file and the erased bytes in it. Valid after the first statement. */
  get isHosted(): boolean {
    return this.#isHosted
  }

  /** Runs statements in one transaction, and waits while other connections write. */
  async run(statements: readonly SqliteStatement[], durability: Durability): Promise<readonly SqliteRow[][]> {
    if (!this.#isOpen) await this.#open()
    try {
      return await whenFree(() => this.#driver.batch(statements, durability))
    } catch (error) {
      throw explainMissingTables(error, this.#driver.path, CALL_MIGRATE)
    }
  }

  /** Runs one statement that reads. It does not wait for a lock. */
  async read(statement: SqliteStatement): Promise<readonly SqliteRow[]> {
    const [rows = []] = await this.run([statement], 'process')
    return rows
  }

  /** Records that content was erased, so that `truncateLog` truncates the log. */
  recordErasure(): void {
    this.#mayLogHoldErased = true
  }

  /** Truncates the log if it may contain erased content. If a connection reads from the log, the next call tries again. */
  async truncateLog(): Promise<void> {
    if (!this.#mayLogHoldErased || this.#isHosted) return
    try {
      const [rows] = await this.#driver.batch([TRUNCATE_LOG], 'power-cut')
      this.#mayLogHoldErased = rows?.[0]?.['busy'] === 1
    } catch {
      // The erasure is committed, and the next call tries again.
    }
  }

  /**
   * Rewrites the whole file, without the gaps in which erased bytes remain.
   *
   * @throws PurgeIncompleteError if a reader keeps the old pages in use for 5 s
   */
  async vacuum(): Promise<void> {
    if (!this.#isOpen) await this.#open()
    if (this.#isHosted) return
    await this.run([VACUUM], 'power-cut')
    this.recordErasure()
    for (let waitedMs = 0; ; waitedMs += READER_PAUSE_MS) {
      await this.truncateLog()
      if (!this.#mayLogHoldErased) return
      if (waitedMs >= READER_TIMEOUT_MS) throw new PurgeIncompleteError()
      await systemClock.sleep(READER_PAUSE_MS)
    }
  }

  close(): void {
    this.#driver.close?.()
    this.#isOpen = false
    this.#mayLogHoldErased = true
  }

  async #open(): Promise<void> {
    try {
      await whenFree(() => this.#driver.batch([SECURE_DELETE], 'process'))
    } catch (error) {
      if (!isRefused(error)) throw explainMissingTables(error, this.#driver.path, CALL_MIGRATE)
      this.#isHosted = true
    }
    this.#isOpen = true
  }
}

const CALL_MIGRATE =
  'A mirror creates them at its first use. If you use the store without a mirror, call "await store.migrate()" before.'

const SECURE_DELETE: SqliteStatement = { sql: 'PRAGMA secure_delete = ON', parameters: [] }
const TRUNCATE_LOG: SqliteStatement = { sql: 'PRAGMA wal_checkpoint(TRUNCATE)', parameters: [] }
const VACUUM: SqliteStatement = { sql: 'VACUUM', parameters: [] }

/** Whether the host is a Durable Object or D1, which reject PRAGMA statements. Only the message of their errors is the same. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes('not authorized')
}

// Taken when the module is loaded, so that it works under fake timers. Workers may lack it.
const setImmediate: typeof globalThis.setImmediate | undefined = globalThis.setImmediate

/** Lets the event loop run everything that is ready, such as responses that have arrived. */
export async function turn(): Promise<void> {
  if (setImmediate !== undefined) await new Promise<void>((resolve) => setImmediate(resolve))
}
