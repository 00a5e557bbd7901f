import { type Clock, SIGNATURE_VERSION } from '@notewire/protocol'
import { type AttemptHeaders, readSignatureHeaders } from './signature-headers.ts'
import { judgeTimestamp } from './timestamp.ts'
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

/** The options of {@link checkHeaders}. */
export interface HeaderRules {
  /** How far the timestamp may be from now, either way, in seconds, inclusive. */
  readonly toleranceSeconds: number
  readonly clock: Pick<Clock, 'now'>
}

/**
 * The first step of a verification, which needs neither the secret nor the body: checks that the three headers are present and well-formed,
 * and that the timestamp is within the tolerance (contract §5, receiver rules 3 to 5).
 */
export function checkHeaders(
  headers: AttemptHeaders,
  { toleranceSeconds, clock }: HeaderRules,
): CheckedHeaders | Refusal {
  const read = readSignatureHeaders(headers)
  if (read.status === 'refused') return read
  const { webhookId, timestamp, signature } = read
  const signatures = readSignatures(signature)
  if (!Array.isArray(signatures)) return signatures
  const seconds = judgeTimestamp(timestamp, clock.now(), toleranceSeconds)
  if (typeof seconds !== 'number') return seconds
  return {
    status: 'checked',
    webhookId,
    timestamp: seconds,
    signedPrefix: `${webhookId}.${timestamp}.`,
    signatures,
  }
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
