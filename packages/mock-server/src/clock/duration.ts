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

const EXPECTED = 'hours, minutes and seconds, such as "26h40m" or "90s", or milliseconds as a number from 0'
const FORM = /^(?=\d)(?:(?<hours>\d+)h)?(?:(?<minutes>\d+)m)?(?:(?<seconds>\d+)s)?$/

/** The schema of a {@link Duration}. TypeScript cannot derive the type of the text from its pattern. */
export const durationSchema = z.union(
  [z.number(EXPECTED).check(z.minimum(0, EXPECTED)), z.string().check(z.regex(FORM, EXPECTED))],
  EXPECTED,
) as z.ZodMiniType<unknown, unknown> as z.ZodMiniType<Duration, Duration>

/**
 * A {@link Duration} in milliseconds.
 *
 * @throws `MockServerError` `option_invalid` when it is negative, not finite, or text of another form
 */
export function durationMs(duration: Duration): number {
  const valid = checked('a duration', durationSchema, duration)
  if (typeof valid === 'number') return valid
  const { hours = '0', minutes = '0', seconds = '0' } = FORM.exec(valid)?.groups ?? {}
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}
