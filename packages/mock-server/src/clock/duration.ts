import * as z from 'zod/mini'
import { checked } from '../errors/checked.ts'

/** A stretch of time: milliseconds as a number, or hours, minutes and seconds as text: `'12h'`, `'90s'`, `'26h40m'`. */
export type Duration =
  | number
  | `${number}h`
  | `${number}m`
  | `${number}s`
  | `${number}h${number}m`
  | `${number}h${number}s`
  | `${number}m${number}s`
  | `${number}h${number}m${number}s`

const EXPECTED =
  'hours, minutes and seconds, such as "26h40m" or "90s", or milliseconds as a number from 0, up to 100 years'
const FORM = /^(?=\d)(?:(?<hours>\d+)h)?(?:(?<minutes>\d+)m)?(?:(?<seconds>\d+)s)?$/

/** 100 years. A clock that is far ahead of that has a time that is not a `Date`. */
const LONGEST_MS = 100 * 365.25 * 24 * 3_600_000

/** The schema of a {@link Duration}. TypeScript cannot derive the type of the text from its pattern. */
export const durationSchema = z
  .union([z.number(EXPECTED).check(z.minimum(0, EXPECTED)), z.string().check(z.regex(FORM, EXPECTED))], EXPECTED)
  .check(z.refine((duration) => msOf(duration) <= LONGEST_MS, EXPECTED)) as z.ZodMiniType<
  unknown,
  unknown
> as z.ZodMiniType<Duration, Duration>

/**
 * A {@link Duration} in milliseconds.
 *
 * @throws `MockServerError` `option_invalid` when it is negative, more than 100 years, or text of another form
 */
export function durationMs(duration: Duration): number {
  return msOf(checked('a duration', durationSchema, duration))
}

function msOf(duration: number | string): number {
  if (typeof duration === 'number') return duration
  const { hours = '0', minutes = '0', seconds = '0' } = FORM.exec(duration)?.groups ?? {}
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}
