import { type Clock, systemClock } from '@notewire/protocol'

/**
 * Calls `ring` after `ms` milliseconds of the clock's time.
 *
 * @returns calls it off
 */
export function setAlarm(clock: Clock, ms: number, ring: () => void): () => void {
  // Every delivery sets two. A sleep with a signal to wake it by costs ten times what this does.
  if (clock === systemClock) {
    const timer = setTimeout(ring, ms)
    return () => clearTimeout(timer)
  }
  const calledOff = new AbortController()
  clock.sleep(ms, calledOff.signal).then(
    () => calledOff.signal.aborted || ring(),
    () => undefined,
  )
  // A reason of our own: without one, `abort` makes an exception with a stack.
  return () => calledOff.abort('called off')
}
