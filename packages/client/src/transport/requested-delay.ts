import { parseTime } from '@notewire/protocol'

const LONGEST_MS = 24 * 60 * 60_000
/** A longer delay is an error of the service, or a number of another unit. */
const ABSURD_MS = 366 * LONGEST_MS

/** Many services send these with every response. They say how long to wait only if the response is a 429. */
const RESET_HEADERS = ['ratelimit-reset', 'x-ratelimit-retry-after', 'x-ratelimit-reset', 'x-rate-limit-reset']

/**
 * How long the service asks to wait before the next request, in milliseconds: a multiple of 1000, and a day at most. It is read from
 * `Retry-After`, and for a 429 without it from a header that says when the rate limit is reset: `RateLimit`, or one of its predecessors.
 *
 * @returns `undefined` if the service does not say, or says nothing that can be used
 */
export function requestedDelayOf({ status, headers }: Pick<Response, 'status' | 'headers'>): number | undefined {
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const retryAfterMs = delayIn(headers.get('retry-after'), now)
  if (retryAfterMs !== undefined || status !== 429) return retryAfterMs
  const resets = [resetsIn(headers.get('ratelimit')), ...RESET_HEADERS.map((name) => headers.get(name))]
  // A reset that has passed is no reason to send the next request at once.
  return resets.map((value) => delayIn(value, now)).find((delayMs) => delayMs !== undefined && delayMs > 0)
}

/**
 * The seconds until the resets in `RateLimit`, separated by commas: `"burst";r=0;t=30` for each policy, or `limit=9, remaining=0, reset=30` in
 * earlier drafts. A policy with requests left was not exceeded.
 */
function resetsIn(value: string | null): string | null {
  const parts = value?.split(',', MOST_PARTS) ?? []
  const resets = parts.map(
    (part) => (/; ?r=0(?!\d)/.test(part) ? /; ?t=(\d{1,9})/ : /^ ?reset=(\d{1,9})/).exec(part)?.[1],
  )
  return resets.filter(Boolean).join() || null
}

/**
 * Reads the value of a header: seconds, a date, or a time since the Unix epoch. Of several values, the longest counts.
 *
 * @param now  the service's time: the header `Date` of the same response, because both are of the service's clock
 */
function delayIn(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  // A comma is also part of a date. The rest of the date is one too.
  const delays = value.split(',', MOST_PARTS).map((part) => msUntil(part.trim(), now))
  const usable = delays.filter((delayMs) => delayMs !== undefined && delayMs <= ABSURD_MS)
  if (usable.length === 0) return undefined
  const seconds = Math.ceil(Math.max(0, ...usable.map(Number)) / 1000)
  return Math.min(LONGEST_MS, seconds * 1000)
}

const MOST_PARTS = 20
const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/
/** The oldest form of a date in HTTP, which has no time zone: `Thu Jan  1 00:00:30 2026`. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

function msUntil(text: string, now: number): number | undefined {
  if (NUMBER.test(text)) return msOfNumber(Number(text), now)
  // Date.parse would read "-1" as a year, and a time without a zone in the zone of this machine.
  const date = ASCTIME.test(text) ? `${text} GMT` : text
  const time = date.endsWith(' GMT') ? Date.parse(date) : (parseTime(date) ?? Number.NaN)
  return Number.isNaN(time) ? undefined : time - now
}

/** From this number of seconds, 31 years, a number is a time since the Unix epoch. */
const FIRST_EPOCH_SECONDS = 1_000_000_000
const FIRST_EPOCH_MS = FIRST_EPOCH_SECONDS * 1000

function msOfNumber(value: number, now: number): number {
  if (value < FIRST_EPOCH_SECONDS) return value * 1000
  return (value < FIRST_EPOCH_MS ? value * 1000 : value) - now
}
