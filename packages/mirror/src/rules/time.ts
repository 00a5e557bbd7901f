/**
 * How far the clocks of processes that share a mirror may differ, in milliseconds: each may be five minutes off the service's, or its
 * receiver refuses all events.
 */
const CLOCKS_DIFFER_BY_MS = 10 * 60_000

/**
 * How long after a change a read may still show the state before it, in milliseconds (open point 36): replicas lag by 30 s, and the
 * clocks of processes that share a mirror differ by seconds.
 */
const LAG_MS = 60_000

/** Whether a time that cannot lie ahead was written by a clock that was wrong: waiting for it might never end. */
export function isAhead(time: number, now: number): boolean {
  return time > now + CLOCKS_DIFFER_BY_MS
}

/** A stored time, or the present one if the clock that wrote it was ahead. */
export function trustedTime(time: number, now: number): number {
  return isAhead(time, now) ? now : time
}

/** Whether a request left so long after a change that its answer cannot lag behind it. */
export function isPastLag(changedAt: number, begunAt: number): boolean {
  return begunAt - changedAt > LAG_MS
}

/** The first moment at which a request is past the lag of a change. */
export function endOfLag(changedAt: number): number {
  return changedAt + LAG_MS + 1
}

/** Reads a time of the service, in milliseconds since the Unix epoch; `null` for text that is no time, or has no zone. */
export function serviceTimeIn(text: unknown): number | null {
  if (typeof text !== 'string' || !/(?:Z|[+-]\d\d:?\d\d)$/i.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/** The same, or the last moment of the minute for a time that may have been cut off to the minute (open point 7). */
export function latestServiceTimeIn(text: unknown): number | null {
  const time = serviceTimeIn(text)
  return time !== null && time % 60_000 === 0 ? time + 59_999 : time
}
