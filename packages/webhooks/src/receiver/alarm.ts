import { type Clock, systemClock } from '@notewire/protocol'

/**
 * Calls `ring` after `ms` milliseconds of the clock's time.
 *
 * @returns cancels the call
 */
export function setAlarm(clock: Clock, ms: number, ring: () => void): () => void {
  // Every delivery sets one. A `sleep` with a signal costs ten times as much.
  if (clock === systemClock) {
    const timer = setTimeout(ring, ms)
    return () => clearTimeout(timer)
  }
  const canceled = new AbortController()
  clock.sleep(ms, canceled.signal).then(
    () => canceled.signal.aborted || ring(),
    () => undefined,
  )
  // With a reason: without one, `abort` creates an exception with a stack.
  return () => canceled.abort('canceled')
}
