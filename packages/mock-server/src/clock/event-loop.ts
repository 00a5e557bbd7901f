// Read once, so that fake timers of a test do not stop the service.
const { clearImmediate, clearTimeout, setImmediate, setTimeout } = globalThis

/** The longest delay of a timer. A timer with a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Resolves in the next turn of the event loop, after everything that was ready to continue. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/**
 * Runs something after `ms` of the machine's time, or in the next turn of the event loop if `ms` is 0.
 *
 * @returns a function that cancels it
 */
export function setAlarm(ms: number, ring: () => void): () => void {
  if (ms <= 0) {
    const immediate = setImmediate(ring)
    return () => clearImmediate(immediate)
  }
  const timer = setTimeout(ring, Math.min(ms, LONGEST_TIMER_MS))
  return () => clearTimeout(timer)
}
