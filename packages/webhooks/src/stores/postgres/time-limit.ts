import { NotewireError } from '@notewire/protocol'

/** A pool may keep a statement waiting for ever, as may a network, and the service waits for an answer for 10 s. */
const TIME_LIMIT_MS = 5_000

/** PostgreSQL did not answer in time. */
export class PostgresTimeoutError extends NotewireError<'postgres_timeout'> {
  constructor(operation: string) {
    super(
      'postgres_timeout',
      `PostgreSQL did not answer "${operation}" within ${TIME_LIMIT_MS / 1000} s: it cannot be reached, is overloaded, ` +
        'or the pool has no connection to spare. Look at the pool: is every connection released? The service sends the event again.',
    )
  }
}

/**
 * What an operation answers, unless it takes too long.
 *
 * @param onLate  called with the answer that came when nobody waited for it any longer
 * @throws PostgresTimeoutError after five seconds
 */
export function withinTimeLimit<Answer>(
  operation: string,
  work: Promise<Answer>,
  onLate: (answer: Answer) => void = () => undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(new PostgresTimeoutError(operation))
    }, TIME_LIMIT_MS)
    work.then(
      (answer) => {
        clearTimeout(timer)
        if (late) onLate(answer)
        else resolve(answer)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
