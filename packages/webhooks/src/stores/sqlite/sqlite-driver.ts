/** A value that a statement is given. */
export type SqliteValue = string | number | null

/** One statement of SQLite's SQL. */
export interface SqliteStatement {
  readonly sql: string
  /** One for each `?`, in their order. */
  readonly parameters: readonly SqliteValue[]
}

/** One row of an answer, by its columns. */
export type SqliteRow = Readonly<Record<string, unknown>>

/**
 * What the effect of a transaction must outlive: the end of the process alone, as for a claim, whose worker a power cut
 * ends as well; or also the power cut, as for the mark of an event that the service will not send again.
 */
export type Durability = 'process' | 'power-cut'

/**
 * What the store needs of SQLite, wherever it runs.
 *
 * @typeParam Transaction  what `batchIn` takes; `never` where a user has no transactions of their own
 */
export interface SqliteDriver<Transaction = never> {
  /**
   * Runs the statements in their order within one transaction that sees no other writer from its beginning, and returns
   * the rows of each. When one of them fails, none has happened.
   *
   * @param outlives  costs a flush to the disk where it is the power cut; a driver that flushes anyway may ignore it
   * @throws an error that says `database is locked` while another connection writes: the store tries again later.
   * Blocking the thread until then would stop the very transaction that is waited for, if it is one of the same thread.
   */
  batch(
    statements: readonly SqliteStatement[],
    outlives: Durability,
  ): readonly SqliteRow[][] | Promise<readonly SqliteRow[][]>
  /** Runs them at once within a transaction of the user's own, which nothing ends meanwhile. */
  batchIn?(transaction: Transaction, statements: readonly SqliteStatement[]): readonly SqliteRow[][]
  /** Closes the connection, where the driver has opened it. */
  close?(): void
}
