import { NotewireError } from '@notewire/protocol'
import { STORE_TIME_LIMIT_MS } from '../time-limit.ts'

/** PostgreSQL did not answer in time. */
export class PostgresTimeoutError extends NotewireError<'postgres_timeout'> {
  constructor(operation: string) {
    super(
      'postgres_timeout',
      `PostgreSQL did not answer "${operation}" within ${STORE_TIME_LIMIT_MS / 1000} s: it cannot be reached, is overloaded, ` +
        'or the pool has no connection to spare. Look at the pool: is every connection released? The event will come again.',
    )
  }
}
