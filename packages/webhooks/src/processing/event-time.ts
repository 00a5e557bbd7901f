/** ISO 8601 with a time zone. `Date.parse` alone also accepts other text, and reads a time without a zone as local time. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})$/

/**
 * Reads when an event occurred.
 *
 * @returns milliseconds since the Unix epoch, or `undefined` unless the value is an ISO 8601 timestamp with a time zone
 */
export function eventTime(occurredAt: unknown): number | undefined {
  if (typeof occurredAt !== 'string' || !INSTANT.test(occurredAt)) return undefined
  const time = Date.parse(occurredAt.replace(',', '.'))
  return Number.isNaN(time) ? undefined : time
}
