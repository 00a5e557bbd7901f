import type { AttemptOutcome } from './attempt-outcome.ts'
import type { Operation } from './operation.ts'
import { retryAfterOf } from './retry-after.ts'

/** The longest pause before a request, in milliseconds. A longer one would look like a hang. */
export const LONGEST_PAUSE_MS = 60_000

const FIRST_PAUSE_MS = 300
const RETRIED_STATUSES = [408, 429, 500, 502, 503, 504]
// The request never left this machine, or nobody took it.
const UNSENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/**
 * How long to pause before a request is sent again, in milliseconds: what `Retry-After` asks, else a random part of a
 * pause that doubles each time ("full jitter").
 *
 * @param attempts  how many requests there were so far
 * @returns `undefined` when it must not be sent again: it succeeded, failed for good, or may have been done already
 */
export function pauseBeforeRetry(operation: Operation, outcome: AttemptOutcome, attempts: number): number | undefined {
  if (!hasFailedForNow(outcome) || !mayBeRepeated(operation, outcome)) return undefined
  const asked = outcome.headers && retryAfterOf(outcome.headers)
  return Math.min(LONGEST_PAUSE_MS, asked ?? Math.random() * FIRST_PAUSE_MS * 2 ** (attempts - 1))
}

function hasFailedForNow({ status, failure }: AttemptOutcome): boolean {
  return failure !== undefined || RETRIED_STATUSES.includes(status)
}

function mayBeRepeated({ repeatable }: Operation, { status, networkCode = '' }: AttemptOutcome): boolean {
  switch (repeatable) {
    case 'always':
      return true
    case 'if_refused':
      return status === 429 || UNSENT_CODES.includes(networkCode)
    case 'never':
      return false
  }
}
