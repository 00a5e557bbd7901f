import { NotewireError } from '@notewire/protocol'

/** PostgreSQL did not answer in time. */
export class PostgresTimeoutError extends NotewireError<'postgres_timeout'> {
  constructor(operation: string, cause?: unknown) {
    super(
      'postgres_timeout',
      `PostgreSQL did not finish "${operation}" in time: it cannot be reached, is overloaded, somebody else holds a lock on the ` +
        "mirror's rows, or the pool has no connection to spare. Look at pg_stat_activity, and whether every connection is released. " +
        'Nothing is half-written, and nothing is lost: the next sync goes on.',
      { cause },
    )
  }
}
