/** A parameter of a statement. */
export type SqliteValue = string | number | null

/** One SQL statement. */
export interface SqliteStatement {
  readonly sql: string
  /** The values of the `?`, in order. */
  readonly parameters: readonly SqliteValue[]
}

/** One row of a result, by column names. */
export type SqliteRow = Readonly<Record<string, unknown>>

/**
 * What a commit must survive. `process`: the end of the process, for example for a claim, because a power cut also ends its worker.
 * `power-cut`: a power cut as well, for example for the record of a processed event that the service will not send again.
 */
export type Durability = 'process' | 'power-cut'

/**
 * What a store needs of SQLite, in any runtime.
 *
 * @typeParam Transaction  what `batchIn` takes; `never` if users have no transactions of their own
 */
export interface SqliteDriver<Transaction = never> {
  /**
   * Runs the statements in order in one transaction that excludes other writers from its start, and returns the rows of
   * each. If one of them fails, none takes effect.
   *
   * @param outlives  `power-cut` costs a flush to the disk; a driver that always flushes may ignore it
   * @throws an error with `database is locked` in its message while another connection writes: the store retries later. Do not
   * block the thread until then: the other transaction may run on the same thread.
   */
  batch(
    statements: readonly SqliteStatement[],
    outlives: Durability,
  ): readonly SqliteRow[][] | Promise<readonly SqliteRow[][]>
  /** Runs the statements synchronously in the user's own transaction. */
  batchIn?(transaction: Transaction, statements: readonly SqliteStatement[]): readonly SqliteRow[][]
  /** Closes the connection, if the driver opened it. */
  close?(): void
  /** The file of the open connection, for the messages of errors. */
  readonly path?: string | undefined
}
