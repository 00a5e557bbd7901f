import { STORE_TIME_LIMIT_MS } from '../../interfaces/store.ts'
import { type PostgresConnection, PostgresTimeoutError } from '../../storage/postgres-connection.ts'
import { withinTimeLimit } from '../../storage/time-limit.ts'
import { AFTER_TIMEOUT } from './migration.ts'

/** Opens transactions: with `pg`, or with another library. */
export interface TransactionOpener<Transaction> {
  /** Runs statements that are transactions by themselves. */
  readonly connection: PostgresConnection
  /** Limits how many transactions are open at once. */
  readonly slots: Slots
  /** Whether `run` itself makes sure that the transaction is open until its COMMIT. */
  readonly isChecked: boolean
  /**
   * Begins, calls `work`, and commits; rolls back if `work` rejects, or when `givenUp` resolves before `work` ends.
   *
   * @throws what `work` has thrown, or why it was not committed
   */
  run(work: WorkIn<Transaction>, givenUp: Promise<unknown>): Promise<void>
}

/**
 * What happens in a transaction.
 *
 * @param connection  runs statements in the transaction. One of them must be the first of the transaction: it may go with the BEGIN
 */
export type WorkIn<Transaction> = (transaction: Transaction, connection: PostgresConnection) => Promise<void>

/** The receiver has stopped waiting for the handler, so the transaction is rolled back. It is not reported. */
export class GivenUpError extends Error {}

/** Rejects with `PostgresTimeoutError` after 5 s. */
export function limited<Result>(
  work: Promise<Result>,
  operation: string,
  onLate?: (result: Result) => void,
): Promise<Result> {
  const tooLate = () => new PostgresTimeoutError(operation, `${STORE_TIME_LIMIT_MS / 1000} s`, AFTER_TIMEOUT)
  return withinTimeLimit(work, STORE_TIME_LIMIT_MS, tooLate, onLate)
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
