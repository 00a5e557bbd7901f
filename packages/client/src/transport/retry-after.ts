/**
 * How long the service asks to wait (`Retry-After`, in seconds or as a date), in milliseconds, a multiple of 1000.
 *
 * A date is compared with the header `Date` of the same answer if it has one, because both are of the service's clock.
 */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000
  // Date.parse would read "-1" as a year.
  if (!value.endsWith(' GMT')) return undefined
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const seconds = Math.ceil((Date.parse(value) - now) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1000)
}
