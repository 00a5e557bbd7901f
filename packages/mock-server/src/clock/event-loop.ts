// Taken once, here: a test that installs fake timers must not stop the service.
const { clearImmediate, clearTimeout, setImmediate, setTimeout } = globalThis

/** Timers wait no longer than this, and fire at once when asked to. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Resolves in the next turn of the event loop, when everything that was ready to continue has done so. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/**
 * Runs something after `ms` of the machine's time, or in the next turn of the event loop when that is nothing.
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
