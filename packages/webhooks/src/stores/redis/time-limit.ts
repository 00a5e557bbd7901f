import { NotewireError } from '@notewire/protocol'

/** Clients that are offline may queue a command for ever, and the service waits for an answer for 10 s. */
const TIME_LIMIT_MS = 5_000

/** Redis did not answer in time: it cannot be reached, or is overloaded. */
export class RedisTimeoutError extends NotewireError<'redis_timeout'> {
  constructor(operation: string) {
    super(
      'redis_timeout',
      `Redis did not answer "${operation}" within ${TIME_LIMIT_MS / 1000} s: it cannot be reached, or is overloaded. ` +
        'Look at the events of your client ("error", "reconnecting"); the service sends the event again.',
    )
  }
}

/**
 * What an operation answers, unless it takes too long.
 *
 * @param onLate  called with the answer that came although nobody waited for it any longer
 * @throws RedisTimeoutError after five seconds
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
      reject(new RedisTimeoutError(operation))
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
