import { OptionError } from '@notewire/protocol'

/**
 * A stretch of time: milliseconds as a number, or hours, minutes and seconds as text: `'12h'`, `'90s'`, `'26h40m'`.
 *
 * @example
 * ```ts
 * import { createNotesService, type Duration } from '@notewire/mock-server'
 *
 * const retryWindow: Duration = '26h40m'
 * await using service = await createNotesService()
 * await service.clock.advance(retryWindow)
 * ```
 */
export type Duration =
  | number
  | `${number}h`
  | `${number}m`
  | `${number}s`
  | `${number}h${number}m`
  | `${number}h${number}s`
  | `${number}m${number}s`
  | `${number}h${number}m${number}s`

const DURATION_FORM = /^(?=\d)(?:(?<hours>\d+)h)?(?:(?<minutes>\d+)m)?(?:(?<seconds>\d+)s)?$/

/**
 * A {@link Duration} in milliseconds.
 *
 * @throws {@link OptionError} when it is negative, not finite, or text of another form
 */
export function durationMs(duration: Duration): number {
  if (typeof duration === 'number') {
    if (Number.isFinite(duration) && duration >= 0) return duration
    throw malformed(duration)
  }
  const parts = DURATION_FORM.exec(duration)?.groups
  if (parts === undefined) throw malformed(duration)
  const { hours = '0', minutes = '0', seconds = '0' } = parts
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}

function malformed(duration: Duration): OptionError {
  return new OptionError(
    'duration',
    `"${duration}" is no duration. Write whole hours, minutes and seconds, such as "26h40m" or "90s", or milliseconds as a number from 0.`,
  )
}
