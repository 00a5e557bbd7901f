import { SIGNATURE_HEADERS } from '@notewire/protocol'
import { spellSeconds } from '../terminal/amounts.ts'
import { type CapturedHeader, valuesOf } from './captured-request.ts'
import type { Finding } from './finding.ts'

/** The timestamp of a request, as its header says it. */
interface HeaderTimestamp {
  readonly seconds: number
}

/** Reads the timestamp; `undefined` where it is missing or no plain digits. */
export function timestampIn(headers: readonly CapturedHeader[]): HeaderTimestamp | undefined {
  const [value = ''] = valuesOf(headers, SIGNATURE_HEADERS.timestamp)
  return /^\d{1,16}$/.test(value) ? { seconds: Number(value) } : undefined
}

/** More seconds than this since 1970 are milliseconds. */
const LATEST_SECONDS = 100_000_000_000

interface Judging {
  readonly at: number
  readonly tolerance: number | 'any'
}

/**
 * What is wrong with the time of a request (contract §5, receiver rule 5), if anything.
 *
 * @param capturedAt  when the capture says that the request was made, in milliseconds since the Unix epoch
 */
export function clockFinding(
  timestamp: HeaderTimestamp | undefined,
  { at, tolerance }: Judging,
  capturedAt: number | undefined,
): readonly Finding[] {
  if (timestamp === undefined || tolerance === 'any') return []
  const ageSeconds = Math.floor(at / 1000) - timestamp.seconds
  if (Math.abs(ageSeconds) <= tolerance) return []
  if (timestamp.seconds > LATEST_SECONDS) return [MILLISECONDS]
  const isOld = ageSeconds > 0
  const distance = `${spellSeconds(Math.abs(ageSeconds))} ${isOld ? 'old' : 'ahead'}`
  const finding: Finding = {
    code: isOld ? 'clock_too_old' : 'clock_too_new',
    subject: 'clock',
    what: `the timestamp is ${distance}; ${tolerance} s are allowed`,
    fix: `${atCapture(timestamp, tolerance, capturedAt)} If it was refused when it arrived, too, the clock of the receiver is off: let the machine take its time from the network (NTP).`,
  }
  return [finding]
}

const MILLISECONDS: Finding = {
  code: 'clock_milliseconds',
  subject: 'clock',
  what: 'the timestamp is in milliseconds',
  fix: 'The header webhook-timestamp is Unix time in seconds (contract §5): divide by 1000 before signing.',
}

function atCapture({ seconds }: HeaderTimestamp, tolerance: number, capturedAt: number | undefined): string {
  const fits = capturedAt !== undefined && Math.abs(Math.floor(capturedAt / 1000) - seconds) <= tolerance
  const time = fits ? Math.floor(capturedAt / 1000) : seconds
  const because = fits ? 'when it was captured, it was in time' : 'a captured request grows old'
  return `Judge it by the time of its arrival, with --at ${time}, or by its signature alone, with --ignore-time: ${because}.`
}
