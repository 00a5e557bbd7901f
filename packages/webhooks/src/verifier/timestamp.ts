import { OptionError } from '@notewire/protocol'
import { type Refusal, refuse } from './verification.ts'

/**
 * Compares an attempt's timestamp with the time of its arrival, in milliseconds (contract §5, receiver rule 5; open point
 * 33).
 *
 * @param timestamp  the header as sent: Unix time in plain digits, and nothing else
 * @param nowMs  the time of arrival in milliseconds since the Unix epoch
 * @returns the timestamp in seconds
 */
export function judgeTimestamp(timestamp: string, nowMs: number, toleranceSeconds: number): number | Refusal {
  if (!/^\d+$/.test(timestamp))
    return refuse('malformed-header', 'the header webhook-timestamp is not a Unix time in digits')
  const seconds = Number(timestamp)
  const ageSeconds = (nowMs - seconds * 1000) / 1000
  // Written this way so that a clock that returns NaN is rejected.
  const isOld = !(ageSeconds <= toleranceSeconds)
  if (isOld || -ageSeconds > toleranceSeconds) {
    return refuse(
      isOld ? 'timestamp-too-old' : 'timestamp-too-new',
      `the timestamp is ${Math.ceil(Math.abs(ageSeconds))} s ${isOld ? 'behind' : 'ahead of'} this machine's clock; at most ${toleranceSeconds} s are allowed`,
    )
  }
  return seconds
}

/** Throws an OptionError for a tolerance that is not a number of seconds. */
export function refuseTolerance(toleranceSeconds: number): void {
  if (Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0) return
  throw new OptionError(
    'toleranceSeconds',
    'toleranceSeconds must be a number of seconds, 0 or more. Omit it to use 300.',
  )
}
