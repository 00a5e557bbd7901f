import { parseTime } from '@notewire/protocol'

/** The largest difference between two clocks, in milliseconds. A receiver rejects all events if its clock is off by more than five minutes. */
const CLOCKS_DIFFER_BY_MS = 10 * 60_000

/** How long after a change a read may still return the previous state, in milliseconds (open point 36): replicas lag by 30 s, and clocks differ by seconds. */
const LAG_MS = 60_000

/** Whether a stored time was written by a clock that was ahead. Waiting for such a time might never end. */
export function isAhead(time: number, now: number): boolean {
  return time > now + CLOCKS_DIFFER_BY_MS
}

/** A stored time, or the present one if the clock that wrote it was ahead. */
export function trustedTime(time: number, now: number): number {
  return isAhead(time, now) ? now : time
}

/** Whether a request was sent so long after a change that its response cannot lag behind the change. */
export function isPastLag(changedAt: number, requestedAt: number): boolean {
  return requestedAt - changedAt > LAG_MS
}

/** The first time at which a request cannot lag behind a change. */
export function endOfLag(changedAt: number): number {
  return changedAt + LAG_MS + 1
}

/** Parses a time of the service into milliseconds since the Unix epoch; `null` for text that is not a time, or has no time zone. */
export function serviceTimeIn(text: unknown): number | null {
  return parseTime(text) ?? null
}

/** Parses a time of the service. A time without seconds may be truncated (open point 7): the last millisecond of the minute is returned. */
export function latestServiceTimeIn(text: unknown): number | null {
  const time = serviceTimeIn(text)
  return time !== null && time % 60_000 === 0 ? time + 59_999 : time
}
