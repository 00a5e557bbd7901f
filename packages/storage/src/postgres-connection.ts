import { explainFailure, NotewireError, OptionError, refuseUnknownOptions } from '@notewire/protocol'

/**
 * Runs one SQL statement: a `Pool`, `Client` or `PoolClient` of `pg`, or a small adapter of another driver or query builder.
 */
export interface PostgresConnection {
  /**
   * @param text  one statement, in which the placeholders `$1`, `$2` … stand once each and in order
   * @param values  strings, numbers and nulls, one for each placeholder
   * @returns the rows, as objects by column names
   */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/**
 * Runs one SQL statement in an open transaction: the `Client` or `PoolClient` of `pg` that ran `BEGIN`, or a small adapter of a transaction
 * of another driver or query builder.
 */
export interface PostgresTransaction extends PostgresConnection {
  /** Only a `Pool` has it. A pool is no transaction: each of its statements is committed by itself. */
  readonly totalCount?: never
}

/** The options of a store in PostgreSQL. */
export interface PostgresStoreOptions {
  /**
   * The PostgreSQL schema of all tables and functions, which `migrate` creates if it is missing: 1 to 63 of the characters `A-Z a-z 0-9 _ -`,
   * not beginning with a digit or `-`. The store quotes it.
   *
   * @default the first schema of the connection's `search_path`
   */
  readonly schema?: string | undefined
  /**
   * With `false`, the store creates nothing: `migrate` only checks that the tables and functions of this version exist, and throws
   * `PostgresNotMigratedError` if not. Then run the `postgres.sql` of the package yourself.
   *
   * @default true
   */
  readonly migrate?: boolean | undefined
}

/** @throws OptionError if `pool` has no `query`, or for an unknown or invalid option */
export function refuseWrongPostgres(maker: string, pool: PostgresConnection, options: PostgresStoreOptions): void {
  const given: Partial<PostgresConnection> | null | undefined = pool
  if (typeof given?.query !== 'function') {
    throw new OptionError(
      'pool',
      'pool has no method "query". Pass a Pool of pg, or an object with query(text, values), not a promise.',
    )
  }
  refuseUnknownOptions(maker, options, { schema: true, migrate: true })
  const { schema, migrate } = options
  // No character that could end a quoted identifier, a string or the body of a function.
  if (schema !== undefined && !/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(schema)) {
    throw new OptionError(
      'schema',
      'schema needs 1 to 63 of the characters A-Z a-z 0-9 _ -, not beginning with a digit or -.',
    )
  }
  if (migrate !== undefined && typeof migrate !== 'boolean') {
    throw new OptionError('migrate', 'migrate needs true or false.')
  }
}

/** The database lacks tables or functions of this version of the store. */
export class PostgresNotMigratedError extends NotewireError<'postgres_not_migrated'> {
  /** @param nextStep  when to call `migrate`, or what to run instead, in sentences */
  constructor(schema: string | undefined, nextStep: string, cause?: unknown) {
    const place = schema === undefined ? 'the search_path of the connection' : `the schema "${schema}"`
    super(
      'postgres_not_migrated',
      `the database has no tables or functions for this version of the store in ${place}. ${nextStep}`,
      { cause },
    )
  }
}

/** PostgreSQL did not finish an operation in time. */
export class PostgresTimeoutError extends NotewireError<'postgres_timeout'> {
  /**
   * @param operation  the method of the store that was called
   * @param limit  the time limit that ended the operation, in words
   * @param consequence  what happens next, in sentences
   */
  constructor(operation: string, limit: string, consequence: string, cause?: unknown) {
    super(
      'postgres_timeout',
      `PostgreSQL did not finish "${operation}" within ${limit}: it is unreachable or overloaded, another connection holds a ` +
        'lock on the rows, or the pool has no free connection. Check pg_stat_activity, and check that your code releases ' +
        `every connection of the pool. ${consequence}`,
      { cause },
    )
  }
}

/** PostgreSQL did not carry out an operation, or could not be reached. */
export class PostgresFailedError extends NotewireError<'postgres_failed'> {
  /**
   * @param operation  the method of the store that was called
   * @param explanation  what has happened and what to do, in sentences
   * @param cause  the error of the driver, which has the SQLSTATE
   */
  constructor(operation: string, explanation: string, cause?: unknown) {
    super('postgres_failed', `PostgreSQL did not carry out "${operation}". ${explanation}`, { cause })
  }
}

/** Explains an error of a driver, if it is a known failure of the server. Another error is returned unchanged. */
export function explainPostgres(operation: string, error: unknown): unknown {
  const explanation = error instanceof NotewireError ? undefined : explainFailure(error)
  return explanation === undefined ? error : new PostgresFailedError(operation, explanation, error)
}
