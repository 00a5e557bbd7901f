const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5 * 60_000

/** How often an answer that lags behind what an event said is asked for again: the pauses add up to eight and a half minutes. */
const MOST_ATTEMPTS = 8

/** How long to leave a note alone after so many attempts in a row that did not settle it, in milliseconds. */
export function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 20), LONGEST_PAUSE_MS)
}

/** Whether what the service says is to be believed although it lags behind what an event said. */
export function isPatienceSpent(attempts: number): boolean {
  return attempts >= MOST_ATTEMPTS
}
