import { InvalidArgumentError } from '@commander-js/extra-typings'

/** A point in time, as ISO 8601 with a zone or as Unix time in seconds. In milliseconds since the Unix epoch. */
export function instant(given: string): number {
  if (/^\d{1,11}(?:\.\d{1,3})?$/.test(given)) return Math.floor(Number(given) * 1000)
  const time = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/i.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It takes a time such as 2026-01-01T09:00:00Z, or Unix time in seconds.')
  return time
}
