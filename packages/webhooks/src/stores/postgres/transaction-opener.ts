import {
  type PostgresConnection,
  PostgresTimeoutError,
  postgresCodeOf,
  savepointName,
  withinTimeLimit,
} from '@notewire/storage'
import { STORE_TIME_LIMIT_MS } from '../../interfaces/store.ts'
import { TransactionEndedError } from '../../interfaces/transaction-store.ts'
import { AFTER_TIMEOUT } from './receiver-queries.ts'

/** Opens transactions: with `pg`, or with another library. */
export interface TransactionOpener<Transaction> {
  /** Runs statements that are transactions by themselves. */
  readonly connection: PostgresConnection
  /** Limits how many transactions are open at once. */
  readonly slots: Slots
  /** Whether `run` rejects if PostgreSQL answers to the COMMIT that it has rolled back. */
  readonly knowsCommit: boolean
  /**
   * Begins, sets a savepoint, calls `work`, releases the savepoint, and commits; rolls back if `work` rejects, or when `givenUp` resolves
   * before `work` ends. The savepoint exists no longer if the handler has ended the transaction, even if it has begun another one.
   *
   * @throws TransactionEndedError if the handler has ended the transaction, or has caught the error of a statement that failed in it
   * @throws what `work` has thrown, or why it was not committed
   */
  run(work: WorkIn<Transaction>, givenUp: Promise<unknown>): Promise<void>
}

/** What happens in a transaction. `connection.query` must be called before `handle`: its first statement may go with the BEGIN. */
export type WorkIn<Transaction> = (open: OpenedTransaction<Transaction>) => Promise<void>

/** A transaction that is open. */
interface OpenedTransaction<Transaction> {
  /** Runs statements in the transaction. */
  readonly connection: PostgresConnection
  /**
   * Calls the handler with the transaction. When it has ended, its later statements are refused.
   *
   * @throws what the handler has thrown
   * @throws TransactionEndedError if one of its statements is still running, or would have ended the transaction
   */
  handle(handler: (transaction: Transaction) => unknown): Promise<void>
}

export const setSavepoint = () => `SAVEPOINT ${savepointName()}`
export const releaseSavepoint = () => `RELEASE SAVEPOINT ${savepointName()}`

/** The SQLSTATEs if there is no savepoint of this name, no transaction, or one in which a statement has failed. */
const ENDED: readonly unknown[] = ['3B001', '25P01', '25P02']

/** Explains the error of `releaseSavepoint`, if it means that the handler has ended the transaction or has caught an error in it. */
export function explainEnd(error: unknown): unknown {
  return ENDED.includes(postgresCodeOf(error)) ? new TransactionEndedError(undefined, error) : error
}

/** The SQLSTATEs of the connection, the transaction, resources, operators and the system. Their classes are the first two characters. */
const CLASSES_OF_THE_DATABASE: ReadonlySet<string> = new Set(['08', '25', '40', '53', '55', '57', '58', 'XX'])

/**
 * Whether the SQLSTATE of a COMMIT means that the database has refused what the handler had written, for example because of a deferred
 * constraint. Node.js and Prisma have codes of five characters, too, such as `EPIPE` and `P2028`.
 */
export function isRefusal(code: unknown): boolean {
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || /^(?:E[A-Z]{4}|P[1-9]\d{3})$/.test(code)) return false
  return !CLASSES_OF_THE_DATABASE.has(code.slice(0, 2))
}

/** The receiver has stopped waiting for the handler, so the transaction is rolled back. It is not reported. */
export class GivenUpError extends Error {}

/** PostgreSQL has ended a transaction that waits this long for its next statement. */
export const ENDED_AFTER_MS = 12_000

/** The error of an operation that took longer than 5 s. */
export function timeoutOf(operation: string): PostgresTimeoutError {
  return new PostgresTimeoutError(operation, `${STORE_TIME_LIMIT_MS / 1000} s`, AFTER_TIMEOUT)
}

/** Rejects with `PostgresTimeoutError` after 5 s. */
export function limited<Result>(
  work: Promise<Result>,
  operation: string,
  onLate?: (result: Result) => void,
): Promise<Result> {
  return withinTimeLimit(work, STORE_TIME_LIMIT_MS, () => timeoutOf(operation), onLate)
}

/** Lets functions that are not awaited go on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A limit of what runs at once. The one that waits longest is next. */
export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Takes a slot if one is free. */
  takeFree(): boolean {
    if (this.#free === 0) return false
    this.#free -= 1
    return true
  }

  /** Resolves when the caller has a slot. */
  take(): Promise<void> {
    return this.takeFree() ? Promise.resolve() : new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** Frees a slot. */
  release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
