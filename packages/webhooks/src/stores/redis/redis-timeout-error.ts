import { NotewireError } from '@notewire/protocol'
import { STORE_TIME_LIMIT_MS } from '../time-limit.ts'

/** Redis did not answer in time: it cannot be reached, or is overloaded. */
export class RedisTimeoutError extends NotewireError<'redis_timeout'> {
  constructor(operation: string) {
    super(
      'redis_timeout',
      `Redis did not answer "${operation}" within ${STORE_TIME_LIMIT_MS / 1000} s: it is unreachable or overloaded. ` +
        'Check the events "error" and "reconnecting" of your Redis client. The delivery will be retried.',
    )
  }
}
