/**
 * The time. Functions that wait or compare times accept a clock, so that a test can stop, shift or skip time. Stores on a server use
 * the server's clock instead.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /**
   * Milliseconds since some fixed moment. Unlike {@link Clock.now}, it does not jump when the machine's clock is set. A clock that is
   * never set does not need it: `now` then measures durations too.
   */
  monotonic?(): number
  /**
   * Resolves after `ms` milliseconds of this clock's time.
   *
   * @throws the signal's reason, as soon as `signal` is aborted
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/**
 * Reads a clock to measure a duration: subtract one reading from a later one. A reading is not a time of day.
 *
 * @returns milliseconds, with fractions on the machine's clock
 */
export function monotonicNow(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now()
}

/** The clock of the machine: the default of every option that accepts a {@link Clock}. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const timer = setTimeout(wake, ms)
      signal?.addEventListener('abort', cancel, { once: true })

      function wake() {
        signal?.removeEventListener('abort', cancel)
        resolve()
      }
      function cancel() {
        clearTimeout(timer)
        reject(signal?.reason)
      }
    }),
}
