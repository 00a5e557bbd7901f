import type { SqliteRow, SqliteStatement } from './sqlite-driver.ts'

/**
 * Makes the error to throw if a function of the user has ended the transaction that it was called in.
 *
 * @param isIterating  whether the transaction could not continue because the function has left an iterator open
 */
export type TransactionEnded = (cause: unknown, isIterating: boolean) => Error

/**
 * A database whose transactions are synchronous functions.
 *
 * @typeParam Transaction  what functions of the user get, to write in the transaction
 */
export interface SynchronousSqlite<Transaction> {
  readonly transaction: Transaction
  /** Runs statements, in the open transaction if there is one. */
  run(statements: readonly SqliteStatement[]): readonly SqliteRow[][]
  /** Commits when `work` returns, and rolls back if it throws. */
  inTransaction<Result>(work: () => Result): Result
  /** Calls a function of the user in the open transaction. Throws what `ended` returns if the function has ended the transaction. */
  handle<Result>(handler: () => Result, ended: TransactionEnded): Result
  /** The file, if the database has one and says it. */
  readonly path: string | undefined
}
