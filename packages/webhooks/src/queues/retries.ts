import { OptionError } from '@notewire/protocol'

/** How often an event is tried: over four to five hours, as the pauses are. */
export const DEFAULT_ATTEMPTS = 16

/** How many events a worker processes at once. */
export const DEFAULT_CONCURRENCY = 10

export const FIRST_RETRY_SECONDS = 1
export const SLOWEST_RETRY_SECONDS = 3_600

/** How long a dead letter is kept. */
export const DEAD_LETTER_SECONDS = 30 * 24 * 3_600

/**
 * The pause before the next attempt, in milliseconds: twice as long each time, half of it at random so that events which
 * failed together do not come back together.
 *
 * @param failures  how many attempts have failed, from 1
 */
export function retryDelayMs(failures: number, random: () => number = Math.random): number {
  const longest = FIRST_RETRY_SECONDS * 2 ** failures
  return 1_000 * Math.min(SLOWEST_RETRY_SECONDS, (longest / 2) * (1 + random()))
}

/** @throws OptionError for what is no number of attempts */
export function refuseAttempts(attempts: number): void {
  if (Number.isSafeInteger(attempts) && attempts >= 1) return
  throw new OptionError('attempts', `attempts must be a whole number, 1 or more. Omit it to use ${DEFAULT_ATTEMPTS}.`)
}

/** @throws OptionError for what is no number of events at once */
export function refuseConcurrency(concurrency: number): void {
  if (Number.isSafeInteger(concurrency) && concurrency >= 1) return
  throw new OptionError(
    'concurrency',
    `concurrency must be a whole number, 1 or more. Omit it to use ${DEFAULT_CONCURRENCY}.`,
  )
}
