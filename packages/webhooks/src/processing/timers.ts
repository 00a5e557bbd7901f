import { type Clock, RECEIVER_DEADLINE_MS, systemClock } from '@notewire/protocol'

/** How long the receiver takes to answer at most. The service waits 10 s (contract §8); the margin is for the network. */
export const ANSWER_WITHIN_MS = RECEIVER_DEADLINE_MS - 2_000

/**
 * Calls `callback` after `ms` milliseconds of the clock's time.
 *
 * @returns cancels the call
 */
export function setTimer(clock: Clock, ms: number, callback: () => void): () => void {
  // A `sleep` with a signal costs ten times as much.
  if (clock === systemClock) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  }
  const canceled = new AbortController()
  clock.sleep(ms, canceled.signal).then(
    () => canceled.signal.aborted || callback(),
    () => undefined,
  )
  // With a reason, because `abort` without one creates an exception with a stack.
  return () => canceled.abort('canceled')
}

/** Resolves when `work` has resolved, or after `ms` milliseconds of the clock's time. `work` never rejects. */
export function waitAtMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = setTimer(clock, ms, resolve)
    void work.then(() => {
      cancelTimer()
      resolve()
    })
  })
}
