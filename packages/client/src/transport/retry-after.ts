/**
 * How long the service asks to wait, in milliseconds (`Retry-After`, in seconds or as a date).
 *
 * A date is compared to the `Date` of the same answer where there is one: both are of the service's clock.
 */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000
  // Date.parse would read "-1" as a year.
  if (!value.endsWith(' GMT')) return undefined
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const pause = Date.parse(value) - now
  return Number.isNaN(pause) ? undefined : Math.max(0, pause)
}
