/**
 * How far the clocks of processes that share a mirror may differ, in milliseconds: each may be five minutes off the service's, or its
 * receiver refuses all events.
 */
const CLOCKS_DIFFER_BY_MS = 10 * 60_000

/** Whether a time that cannot lie ahead was written by a clock that was wrong, so that waiting for it might never end. */
export function isAhead(time: number, now: number): boolean {
  return time > now + CLOCKS_DIFFER_BY_MS
}
