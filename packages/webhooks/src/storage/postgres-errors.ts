import { NotewireError } from '@notewire/protocol'

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
