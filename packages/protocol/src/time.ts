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

const INSTANT = /^(\d{4}-\d{2}-(\d{2}))T\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/

/**
 * Reads a time of the service: ISO 8601 with a date, a time and a time zone. `Date.parse` alone also accepts other text, reads a time
 * without a zone as local time, and 30 February as 2 March.
 *
 * @returns milliseconds since the Unix epoch, or `undefined` for any other value
 * @example
 * ```ts
 * import { parseTime } from '@notewire/protocol'
 *
 * parseTime('2026-01-01T09:00:00Z') // 1767258000000
 * ```
 */
export function parseTime(value: unknown): number | undefined {
  const [text, date, day] = (typeof value === 'string' && INSTANT.exec(value)) || []
  if (text === undefined || date === undefined) return undefined
  const time = Date.parse(text.replace(',', '.'))
  if (Number.isNaN(time)) return undefined
  return Number(day) <= DAYS_OF_EVERY_MONTH || isDate(date) ? time : undefined
}

const DAYS_OF_EVERY_MONTH = 28

function isDate(date: string): boolean {
  const midnight = new Date(`${date}T00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}
