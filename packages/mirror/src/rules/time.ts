/** The largest difference between two clocks, in milliseconds. A receiver rejects all events if its clock is off by more than five minutes. */
const CLOCKS_DIFFER_BY_MS = 10 * 60_000

/** How long a read may show the state before a change, in milliseconds (open point 36): replicas lag by 30 s, and clocks differ by seconds. */
const LAG_MS = 60_000

/** Whether a stored time was written by a clock that was ahead: waiting for it might never end. */
export function isAhead(time: number, now: number): boolean {
  return time > now + CLOCKS_DIFFER_BY_MS
}

/** A stored time, or the present one if the clock that wrote it was ahead. */
export function trustedTime(time: number, now: number): number {
  return isAhead(time, now) ? now : time
}

/** Whether a request left so late after a change that its response cannot lag behind the change. */
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
