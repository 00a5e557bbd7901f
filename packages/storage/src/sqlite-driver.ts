import { explainFailure, NotewireError, systemClock } from '@notewire/protocol'

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
  /** Whether no other process uses the database at the same time, as in a Durable Object: a lease that is found at the start is left over. */
  readonly hasOneProcess?: boolean | undefined
  /** The file, for the messages of errors. */
  readonly path?: string | undefined
}

/** How long an operation retries before it fails: much longer than another writer should take. */
const BUSY_WAIT_MS = 5_000

const LONGEST_PAUSE_MS = 25

/**
 * Runs an operation, and retries it while another connection writes. The thread stays free between retries, because the
 * writer may be a transaction on the same thread.
 *
 * @throws the error of SQLite, if the database is still locked after 5 s
 */
export async function whenFree<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  for (let waitedMs = 0, longestMs = 2; ; longestMs = Math.min(longestMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await run()
    } catch (error) {
      if (waitedMs >= BUSY_WAIT_MS || !isBusy(error)) throw error
    }
    // Random, so that waiting operations do not all retry at once.
    const pauseMs = Math.ceil(Math.random() * longestMs)
    await systemClock.sleep(pauseMs)
    waitedMs += pauseMs
  }
}

// The message is the only part of the error that is the same in all drivers: Deno sets no error number, and the error codes differ.
function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message.includes('database is locked')
}

/** The SQLite database lacks the tables of the store. */
export class SqliteNotMigratedError extends NotewireError<'sqlite_not_migrated'> {
  /** @param path  the file of the database; `undefined` for a database without one */
  constructor(path: string | undefined, nextStep: string, cause: unknown) {
    const database = path === undefined ? 'the database' : `the database ${path}`
    super('sqlite_not_migrated', `${database} has no tables of this store. ${nextStep}`, { cause })
  }
}

/** The folder of a SQLite file does not exist. */
export class SqliteFolderMissingError extends NotewireError<'sqlite_folder_missing'> {
  constructor(path: string, folder: string, cause: unknown) {
    super(
      'sqlite_folder_missing',
      `SQLite cannot create ${path}: the folder ${folder} does not exist. Create the folder before the program starts, or pass another path.`,
      { cause },
    )
  }
}

// The name of the table is the only part of the message that is the same in all drivers.
const TABLE_MISSING = /no such table: (?:main\.)?notewire_/

/** SQLite failed: the disk is full, the file is not a database or not writable, or another connection writes for too long. */
export class SqliteFailedError extends NotewireError<'sqlite_failed'> {
  /**
   * @param path  the file of the database; `undefined` for a database without one
   * @param explanation  what has happened and what to do, in sentences
   * @param cause  the error of the driver, which has the result code
   */
  constructor(path: string | undefined, explanation: string, cause?: unknown) {
    const database = path === undefined ? 'the database' : `the database ${path}`
    super('sqlite_failed', `an operation on ${database} failed. ${explanation}`, { cause })
  }
}

/**
 * Explains an error of SQLite, if it says that a table of a store is missing, or if it is a known failure of the file or the disk. Another error is
 * returned unchanged, such as that of a trigger of yours.
 *
 * @param path  the file of the database, if it has one
 * @param nextStep  what to do if a table is missing, in sentences
 */
export function explainMissingTables(error: unknown, path: string | undefined, nextStep: string): unknown {
  if (!(error instanceof Error) || error instanceof NotewireError) return error
  if (TABLE_MISSING.test(error.message)) return new SqliteNotMigratedError(path, nextStep, error)
  const explanation = OF_A_STATEMENT.test(error.message) ? undefined : explainFailure(error)
  return explanation === undefined ? error : new SqliteFailedError(path, explanation, error)
}

// Tables of a store never lack a column, and refer to no other tables.
const OF_A_STATEMENT = /no such (?:table|column)/
