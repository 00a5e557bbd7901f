import { OptionError } from '@notewire/protocol'

/** The number of attempts of an event. With the delays, they take four to five hours. */
export const DEFAULT_ATTEMPTS = 16

/** How many events a worker processes concurrently. */
export const DEFAULT_CONCURRENCY = 10

export const FIRST_RETRY_SECONDS = 1
export const SLOWEST_RETRY_SECONDS = 3_600

/** How long a dead letter is kept. */
export const DEAD_LETTER_SECONDS = 30 * 24 * 3_600

/**
 * The delay before the next attempt, in milliseconds. It doubles each time, and half of it is random, so that events that failed together
 * are not retried together.
 *
 * @param failures  how many attempts have failed, from 1
 */
export function retryDelayMs(failures: number, random: () => number = Math.random): number {
  const longest = FIRST_RETRY_SECONDS * 2 ** failures
  return 1_000 * Math.min(SLOWEST_RETRY_SECONDS, (longest / 2) * (1 + random()))
}

/** @throws OptionError if a count is not a whole number of at least 1 */
export function refuseCount(option: 'attempts' | 'concurrency', count: number, fallback: number): void {
  if (Number.isSafeInteger(count) && count >= 1) return
  throw new OptionError(option, `${option} must be a whole number, 1 or more. Omit it to use ${fallback}.`)
}
