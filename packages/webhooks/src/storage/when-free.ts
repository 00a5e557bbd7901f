import { systemClock } from '@notewire/protocol'

/** How long an operation retries before it fails: much longer than another writer should take. */
const BUSY_WAIT_MS = 5_000

const LONGEST_PAUSE_MS = 25

/**
 * Runs an operation, and retries it while another connection writes. The thread stays free between retries, because the
 * writer may be a transaction on the same thread.
 *
 * @throws the error of SQLite, if the database is still locked after 5 s
 */
export async function whenFree<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  for (let waitedMs = 0, longestMs = 2; ; longestMs = Math.min(longestMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await run()
    } catch (error) {
      if (waitedMs >= BUSY_WAIT_MS || !isBusy(error)) throw error
    }
    // Random, so that waiting operations do not all retry at once.
    const pauseMs = Math.ceil(Math.random() * longestMs)
    await systemClock.sleep(pauseMs)
    waitedMs += pauseMs
  }
}

// The message is the only part of the error that is the same in all drivers: Deno sets no error number, and the error codes differ.
function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message.includes('database is locked')
}
