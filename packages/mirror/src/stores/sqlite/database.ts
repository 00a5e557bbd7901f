import {
  type Durability,
  type SqliteDriver,
  type SqliteRow,
  type SqliteStatement,
  whenFree,
} from '@notewire/webhooks/sqlite'

/**
 * A database in which what is erased is gone from the disk: overwritten in the tables (`secure_delete`), and cut off from the
 * log in which the pages of before still are (`wal_checkpoint`).
 *
 * Where there is no such setting, as in a Durable Object, the host decides what becomes of deleted bytes.
 */
export class ErasingDatabase {
  readonly #driver: SqliteDriver
  #isOpen = false
  /** Whether the file is the host's alone, which then allows no statement that is about it. */
  #isHosted = false
  /** Whether the log may hold erased content: also before anybody looked, for a process may have died behind its commit. */
  #hasTraces = true

  constructor(driver: SqliteDriver) {
    this.#driver = driver
  }

  /** Runs statements in one transaction, and waits while others write. */
  async run(statements: readonly SqliteStatement[], outlives: Durability): Promise<readonly SqliteRow[][]> {
    if (!this.#isOpen) await this.#open()
    return await whenFree(() => this.#driver.batch(statements, outlives))
  }

  /** Reads with one statement, which waits for nobody. */
  async read(statement: SqliteStatement): Promise<readonly SqliteRow[]> {
    const [rows = []] = await this.run([statement], 'process')
    return rows
  }

  /** Remembers that something was erased. */
  leaveTraces(): void {
    this.#hasTraces = true
  }

  /** Cuts the log off, if there is need to and nobody reads from it: else the next call does. */
  async removeTraces(): Promise<void> {
    if (!this.#hasTraces || this.#isHosted) return
    try {
      const [rows] = await this.#driver.batch([CUT_LOG], 'power-cut')
      this.#hasTraces = rows?.[0]?.['busy'] === 1
    } catch {
      // What this was to follow is committed, and the next call tries again.
    }
  }

  /** Writes the whole file anew, without the gaps in which SQLite has left what was there. */
  async writeAnew(): Promise<void> {
    if (!this.#isOpen) await this.#open()
    if (this.#isHosted) return
    await this.run([VACUUM], 'power-cut')
    this.leaveTraces()
    await this.removeTraces()
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

/** In a Durable Object and D1. By its text: the one thing in which they agree. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes('not authorized')
}
