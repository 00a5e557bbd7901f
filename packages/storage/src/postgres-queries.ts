import { OptionError } from '@notewire/protocol'
import {
  explainPostgres,
  type PostgresConnection,
  PostgresFailedError,
  PostgresNotMigratedError,
  type PostgresStoreOptions,
  PostgresTimeoutError,
  type PostgresTransaction,
} from './postgres-connection.ts'
import { migrationOf, missingFrom, type PostgresTables } from './postgres-migration.ts'
import { withinTimeLimit } from './time-limit.ts'

/** The differences between the stores. */
export interface PostgresQueriesOptions extends PostgresStoreOptions {
  /** After this time an operation rejects with `PostgresTimeoutError`. */
  readonly timeLimitMs: number
  readonly tables: PostgresTables
  /** When to call `migrate`: the end of the message of `PostgresNotMigratedError`. */
  readonly whenToMigrate: string
  /** What happens after a timeout: the end of the message of `PostgresTimeoutError`. */
  readonly afterTimeout: string
}

const UNDEFINED_FUNCTION = '42883'
const UNDEFINED_TABLE = '42P01'
const UNDEFINED_SCHEMA = '3F000'
/** The SQLSTATE if a lock was not available within `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03'

// PostgreSQL assigns an ID to each transaction that writes. A savepoint does not change it.
const TRANSACTION_ID = 'SELECT pg_current_xact_id()::text AS id'

/**
 * The condition that the statement runs in the transaction with a given ID.
 *
 * @param id  the placeholder or expression of the ID
 */
export const isInTransaction = (id: string) => `pg_current_xact_id()::text = ${id}`

/** The SQLSTATE if PostgreSQL ended a statement because of a deadlock. The statement has then written nothing. */
const DEADLOCK_DETECTED = '40P01'

/** How often a statement is sent if each attempt ends in a deadlock. */
const MAX_ATTEMPTS = 5

/** Longer than for other operations, because creating an index on a large table takes long. */
const MIGRATION_LIMIT_MS = 30_000

/** The statements of a store: in its schema, with a time limit, and with errors that say what to do. */
export class PostgresQueries {
  readonly #pool: PostgresConnection
  readonly #options: PostgresQueriesOptions
  readonly #textsWithSchema = new Map<string, string>()

  constructor(pool: PostgresConnection, options: PostgresQueriesOptions) {
    this.#pool = pool
    this.#options = options
  }

  /**
   * Creates missing tables and functions; with the option `migrate: false`, checks that none is missing.
   *
   * @throws PostgresNotMigratedError with `migrate: false`, if a function of this version is missing
   * @throws PostgresTimeoutError after 30 s, or if a lock was not available within 10 s
   * @throws PostgresFailedError for a known failure of the server or of the connection
   */
  async migrate(): Promise<void> {
    const { tables, migrate, schema } = this.#options
    if (migrate !== false) {
      const create = async () => rowsOf(await this.#pool.query(migrationOf(tables, schema), []))
      await this.#limited('migrate', MIGRATION_LIMIT_MS, create)
      return
    }
    const missing = await this.run<{ readonly name: string }>('migrate', missingFrom(tables), [])
    if (missing.length > 0) throw this.#notMigrated(`It lacks ${missing.map(({ name }) => name).join(', ')}.`)
  }

  /**
   * Runs one statement within the time limit. After a deadlock, for example with a transaction of the user, it is sent again.
   *
   * @param operation  the method of the store, for error messages
   * @param onLate  receives rows that arrive after the time limit
   * @throws PostgresTimeoutError after the time limit, or if a lock was not available within `lock_timeout`
   * @throws PostgresNotMigratedError if a table or function is missing
   * @throws PostgresFailedError for a known failure of the server or of the connection
   */
  run<Row>(
    operation: string,
    text: string,
    values: unknown[],
    onLate?: (rows: readonly Row[]) => void,
  ): Promise<readonly Row[]> {
    const send = () => this.runIn<Row>(this.#pool, text, values)
    return this.#limited(operation, this.#options.timeLimitMs, send, onLate)
  }

  /**
   * Runs one statement in the transaction of a handler: without a time limit, and with the driver's error if a lock was not
   * available, since the transaction is the handler's.
   *
   * A pool, or a client without an open transaction, would commit the statement by itself. Two statements outside of a transaction never have
   * the same transaction ID. The first one returns the ID, and the second one compares it before it writes.
   *
   * @param text  a statement that writes nothing and returns no row unless `isInTransaction`
   * @param valuesFor  makes the values of the statement from the ID of the transaction
   * @throws OptionError if `transaction` has no open transaction
   * @throws PostgresNotMigratedError if a table or function is missing
   */
  async runInTransaction<Row>(
    transaction: PostgresTransaction,
    text: string,
    valuesFor: (transactionId: string) => unknown[],
  ): Promise<Row> {
    const [current] = await this.runIn<{ readonly id: string }>(transaction, TRANSACTION_ID, [])
    const [row] = current === undefined ? [] : await this.runIn<Row>(transaction, text, valuesFor(current.id))
    if (row === undefined) throw transactionNotOpen()
    return row
  }

  /**
   * Runs one statement on a connection, without a time limit.
   *
   * @throws PostgresNotMigratedError if a table or function is missing
   */
  async runIn<Row>(connection: PostgresConnection, text: string, values: unknown[]): Promise<readonly Row[]> {
    try {
      return rowsOf(await connection.query(this.#withSchema(text), values)) as readonly Row[]
    } catch (error) {
      const isMissing = [UNDEFINED_FUNCTION, UNDEFINED_TABLE, UNDEFINED_SCHEMA].includes(String(postgresCodeOf(error)))
      throw isMissing ? this.#notMigrated('', error) : error
    }
  }

  /** A statement with the schema before the name of each table and function of the store. */
  #withSchema(text: string): string {
    const { schema } = this.#options
    if (schema === undefined) return text
    const known = this.#textsWithSchema.get(text)
    if (known !== undefined) return known
    const result = text.replaceAll(/\bnotewire_\w+/g, `"${schema}".$&`)
    this.#textsWithSchema.set(text, result)
    return result
  }

  #limited<Result>(
    operation: string,
    limitMs: number,
    send: () => Promise<Result>,
    onLate?: (result: Result) => void,
  ): Promise<Result> {
    const { afterTimeout } = this.#options
    const explained = againAfterDeadlock(send).catch((error: unknown) => {
      if (postgresCodeOf(error) !== LOCK_NOT_AVAILABLE) throw explainPostgres(operation, error)
      throw new PostgresTimeoutError(operation, 'lock_timeout', afterTimeout, error)
    })
    const tooLate = () => new PostgresTimeoutError(operation, `${limitMs / 1000} s`, afterTimeout)
    return withinTimeLimit(explained, limitMs, tooLate, onLate)
  }

  #notMigrated(missing: string, cause?: unknown): PostgresNotMigratedError {
    const { tables, migrate, schema, whenToMigrate } = this.#options
    const run = `Run the statements of node_modules/${tables.file} in the database, after each upgrade of the package.`
    return new PostgresNotMigratedError(schema, `${missing} ${migrate === false ? run : whenToMigrate}`.trim(), cause)
  }
}

/** @throws OptionError if `query` is that of another driver, such as `mysql2` or `neon()`, which return the rows by themselves */
function rowsOf(result: unknown): readonly unknown[] {
  const { rows }: { readonly rows?: unknown } = Object(result)
  if (Array.isArray(rows)) return rows
  throw new OptionError(
    'pool',
    'pool.query did not resolve to an object with rows, as that of pg does. Pass a Pool of pg, or an adapter: for neon() or a library that ' +
      'returns the rows themselves, { query: async (text, values) => ({ rows: await sql.query(text, values) }) }.',
  )
}

async function againAfterDeadlock<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await send()
    } catch (error) {
      if (attempts === MAX_ATTEMPTS || postgresCodeOf(error) !== DEADLOCK_DETECTED) throw error
    }
  }
}

/** The error if a connection has no open transaction. */
export function transactionNotOpen(): OptionError {
  return new OptionError(
    'transaction',
    'the connection passed to commit has no open transaction, so nothing could be committed together with your rows. With pg, pass ' +
      'the client that ran BEGIN, not the pool, and call commit before COMMIT. With Drizzle, Kysely or Prisma, pass the transaction ' +
      'that your callback receives, not the database.',
  )
}

/**
 * The SQLSTATE of an error, if a driver set one. Drizzle wraps the driver's error as the `cause` of its own. Prisma has codes of its own, and
 * the SQLSTATE as the `originalCode` of its driver's error. `PostgresFailedError` has the driver's error as its `cause`.
 */
export function postgresCodeOf(error: unknown): unknown {
  let each = error
  // Limited, because a cause may lead back to its error.
  for (let depth = 0; depth < 10 && typeof each === 'object' && each !== null; depth += 1) {
    const { originalCode, meta, code, cause }: ErrorOfDriver = each
    if (each instanceof PostgresFailedError) each = cause
    else if (originalCode !== undefined) return originalCode
    if (meta?.driverAdapterError !== undefined) each = meta.driverAdapterError
    else if (code !== undefined) return code
    else each = cause
  }
  return undefined
}

interface ErrorOfDriver {
  readonly code?: unknown
  readonly cause?: unknown
  readonly originalCode?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown } | null
}
