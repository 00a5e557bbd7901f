import { systemClock } from '@notewire/protocol'

/** How long an operation waits for other writers before it fails: far longer than any of them should write. */
const BUSY_WAIT_MS = 5_000

const LONGEST_PAUSE_MS = 25

/**
 * Runs it, and again while another connection writes. The thread stays free in between, because the writer may be a
 * transaction of this very thread, which goes on only then.
 *
 * @throws what SQLite says, when the database is still locked after 5 s
 */
export async function whenFree<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  for (let waitedMs = 0, longestMs = 2; ; longestMs = Math.min(longestMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await run()
    } catch (error) {
      if (waitedMs >= BUSY_WAIT_MS || !isBusy(error)) throw error
    }
    // At random, so that those who wait do not all come back at once.
    const pauseMs = Math.ceil(Math.random() * longestMs)
    await systemClock.sleep(pauseMs)
    waitedMs += pauseMs
  }
}

// By its text: the one thing in which all drivers agree. Deno gives no number, and the names of the codes differ.
function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message.includes('database is locked')
}
