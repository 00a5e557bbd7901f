import { OptionError } from '@notewire/protocol'
import { type Refusal, refuse } from './verification.ts'

/**
 * Holds an attempt's timestamp against the time of its arrival (contract §5, receiver rule 5).
 *
 * @param timestamp  the header as sent: Unix time in plain digits, and nothing else
 * @param nowMs  the time of arrival in milliseconds; whole seconds of it count
 */
export function judgeTimestamp(
  timestamp: string,
  nowMs: number,
  toleranceSeconds: number,
): { readonly status: 'current'; readonly seconds: number } | Refusal {
  if (!/^\d+$/.test(timestamp)) return refuse('malformed-header', 'the header webhook-timestamp is not plain digits')
  const seconds = Number(timestamp)
  const ageSeconds = Math.floor(nowMs / 1000) - seconds
  // So put that a clock which tells no time refuses, too.
  if (!(ageSeconds <= toleranceSeconds)) {
    return refuse(
      'timestamp-too-old',
      `it was signed ${ageSeconds} s ago by this clock; ${toleranceSeconds} s are allowed`,
    )
  }
  if (-ageSeconds > toleranceSeconds) {
    return refuse(
      'timestamp-too-new',
      `it was signed ${-ageSeconds} s ahead of this clock; ${toleranceSeconds} s are allowed`,
    )
  }
  return { status: 'current', seconds }
}

/** Refuses a tolerance that is no number of seconds. */
export function refuseTolerance(toleranceSeconds: number): void {
  if (Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0) return
  throw new OptionError('toleranceSeconds', 'toleranceSeconds must be a number from 0. Leave it out for 300.')
}
