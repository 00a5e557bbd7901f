import type { PostgresConnection } from './postgres-connection.ts'
import { PostgresNotMigratedError, PostgresTimeoutError } from './postgres-errors.ts'
import { withinTimeLimit } from './time-limit.ts'

/** In what the stores differ. */
export interface PostgresQueriesOptions {
  /** After this time an operation rejects with `PostgresTimeoutError`. */
  readonly timeLimitMs: number
  /** When to call `migrate`: the end of the message of `PostgresNotMigratedError`. */
  readonly whenToMigrate: string
  /** What happens after a timeout: the end of the message of `PostgresTimeoutError`. */
  readonly afterTimeout: string
}

const UNDEFINED_FUNCTION = '42883'
const UNDEFINED_TABLE = '42P01'
const LOCK_NOT_AVAILABLE = '55P03'

/** The statements of a store: with a time limit, and errors that say what to do. */
export class PostgresQueries {
  readonly #pool: PostgresConnection
  readonly #options: PostgresQueriesOptions

  constructor(pool: PostgresConnection, options: PostgresQueriesOptions) {
    this.#pool = pool
    this.#options = options
  }

  /**
   * Runs one statement within the time limit.
   *
   * @param operation  the method of the store, for error messages
   * @param onLate  receives rows that arrive after the time limit
   * @throws PostgresTimeoutError after the time limit, or if a lock was not available within `lock_timeout`
   * @throws PostgresNotMigratedError if a table or function is missing
   */
  run<Row>(
    operation: string,
    text: string,
    values: unknown[],
    onLate?: (rows: readonly Row[]) => void,
  ): Promise<readonly Row[]> {
    const { timeLimitMs, afterTimeout } = this.#options
    const work = this.runIn<Row>(this.#pool, text, values).catch((error: unknown) => {
      if (postgresCodeOf(error) !== LOCK_NOT_AVAILABLE) throw error
      throw new PostgresTimeoutError(operation, 'lock_timeout', afterTimeout, error)
    })
    const tooLate = () => new PostgresTimeoutError(operation, `${timeLimitMs / 1000} s`, afterTimeout)
    return withinTimeLimit(work, timeLimitMs, tooLate, onLate)
  }

  /**
   * Runs one statement in the transaction of a handler: without a time limit, and with the driver's error if a lock was not
   * available, since the transaction is the handler's.
   *
   * @throws PostgresNotMigratedError if a table or function is missing
   */
  async runIn<Row>(transaction: PostgresConnection, text: string, values: unknown[]): Promise<readonly Row[]> {
    try {
      return (await transaction.query(text, values)).rows as readonly Row[]
    } catch (error) {
      const code = postgresCodeOf(error)
      const isMissing = code === UNDEFINED_FUNCTION || code === UNDEFINED_TABLE
      throw isMissing ? new PostgresNotMigratedError(this.#options.whenToMigrate, error) : error
    }
  }
}

/** The SQLSTATE of an error, if a driver set one. */
export function postgresCodeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
