import { type Clock, OptionError, SIGNATURE_HEADERS, SIGNATURE_VERSION } from '@notewire/protocol'
import { type AttemptHeaders, readHeader, refuseNoHeaders } from './signature-headers.ts'
import { type Refusal, refuse } from './verification.ts'

/** The headers of an attempt, checked except for the signature. */
export interface CheckedHeaders {
  readonly status: 'checked'
  readonly webhookId: string
  /** When the attempt was signed, according to its header: Unix time in seconds. */
  readonly timestamp: number
  /** The part of the signed content before the body. */
  readonly signedPrefix: string
  /** The `v1` entries of `webhook-signature`. */
  readonly signatures: readonly string[]
}

export interface HeaderRules {
  /** How far the timestamp may be from now, either way, in seconds, inclusive. */
  readonly toleranceSeconds: number
  readonly clock: Pick<Clock, 'now'>
}

/**
 * The first step of a verification, which needs neither the secret nor the body: checks that the three headers are present and well-formed,
 * and that the timestamp is within the tolerance (contract §5, receiver rules 3 to 5).
 *
 * @throws OptionError when `headers` is not an object
 */
export function checkHeaders(
  headers: AttemptHeaders,
  { toleranceSeconds, clock }: HeaderRules,
): CheckedHeaders | Refusal {
  refuseNoHeaders(headers)
  const webhookId = readHeader(headers, SIGNATURE_HEADERS.id)
  if (typeof webhookId !== 'string') return webhookId
  const timestamp = readHeader(headers, SIGNATURE_HEADERS.timestamp)
  if (typeof timestamp !== 'string') return timestamp
  const signature = readHeader(headers, SIGNATURE_HEADERS.signature)
  if (typeof signature !== 'string') return signature
  const signatures = readSignatures(signature)
  if (!Array.isArray(signatures)) return signatures
  const seconds = judgeTimestamp(timestamp, clock.now(), toleranceSeconds)
  if (typeof seconds !== 'number') return seconds
  return { status: 'checked', webhookId, timestamp: seconds, signedPrefix: `${webhookId}.${timestamp}.`, signatures }
}

/** Each entry costs a comparison, and senders sign with a few secrets at most. */
const MAX_ENTRIES = 32

/** The length of the base64 text of 32 bytes. */
export const SIGNATURE_LENGTH = 44

const VERSION = `${SIGNATURE_VERSION},`

/**
 * Reads the entries of `webhook-signature` that are of scheme `v1` (contract §5, receiver rule 4). Other entries are
 * ignored.
 */
function readSignatures(header: string): string[] | Refusal {
  const signatures: string[] = []
  let entries = 0
  for (const entry of header.split(' ')) {
    if (entry === '') continue
    entries += 1
    const isSignature = entry.startsWith(VERSION) && entry.length === VERSION.length + SIGNATURE_LENGTH
    if (isSignature) signatures.push(entry.slice(VERSION.length))
  }
  if (entries <= MAX_ENTRIES) return signatures
  return refuse(
    'malformed-header',
    `the header webhook-signature has ${entries} entries; at most ${MAX_ENTRIES} are allowed`,
  )
}

/**
 * Compares an attempt's timestamp with the time of its arrival, in milliseconds (contract §5, receiver rule 5; open point
 * 33).
 *
 * @param timestamp  the header as sent: Unix time in plain digits, and nothing else
 * @param nowMs  the time of arrival in milliseconds since the Unix epoch
 * @returns the timestamp in seconds
 */
function judgeTimestamp(timestamp: string, nowMs: number, toleranceSeconds: number): number | Refusal {
  if (!/^\d+$/.test(timestamp))
    return refuse('malformed-header', 'the header webhook-timestamp is not a Unix time in digits, or occurs twice')
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

/** The service signs each attempt anew, so that no delivery needs more. */
const LONGEST_TOLERANCE_SECONDS = 3_600

/** Throws an OptionError for a tolerance that is not a number of seconds, or that is probably in milliseconds. */
export function refuseTolerance(toleranceSeconds: number): void {
  if (typeof toleranceSeconds === 'number' && toleranceSeconds >= 0 && toleranceSeconds <= LONGEST_TOLERANCE_SECONDS)
    return
  const unit =
    toleranceSeconds > LONGEST_TOLERANCE_SECONDS ? ' It is in seconds, not milliseconds: 300 is 5 minutes.' : ''
  throw new OptionError(
    'toleranceSeconds',
    `toleranceSeconds must be a number of seconds from 0 to ${LONGEST_TOLERANCE_SECONDS}.${unit} Omit it to use 300.`,
  )
}
