import type { Clock } from '@notewire/protocol'
import { type AttemptHeaders, readSignatureHeaders } from './signature-headers.ts'
import { readSignatures } from './signatures.ts'
import { judgeTimestamp } from './timestamp.ts'
import type { Refusal } from './verification.ts'

/** The headers of an attempt that may be genuine: only its signature is left to check. */
export interface CheckedHeaders {
  readonly status: 'checked'
  readonly webhookId: string
  /** When the attempt says it was signed: Unix time in seconds. */
  readonly timestamp: number
  /** What was signed before the body. */
  readonly signedPrefix: string
  /** The `v1` entries of `webhook-signature`. */
  readonly signatures: readonly string[]
}

/** By what {@link checkHeaders} decides. */
export interface HeaderRules {
  /** How far the timestamp may be from now, either way, in seconds, inclusive. */
  readonly toleranceSeconds: number
  readonly clock: Pick<Clock, 'now'>
}

/**
 * The first step of a verification, which needs neither the secret nor the body: the three headers are there and
 * well-formed, and the timestamp is within the tolerance (contract §5, receiver rules 3 to 5).
 */
export function checkHeaders(
  headers: AttemptHeaders,
  { toleranceSeconds, clock }: HeaderRules,
): CheckedHeaders | Refusal {
  const read = readSignatureHeaders(headers)
  if (read.status === 'refused') return read
  const { webhookId, timestamp, signature } = read
  const entries = readSignatures(signature)
  if (entries.status === 'refused') return entries
  const time = judgeTimestamp(timestamp, clock.now(), toleranceSeconds)
  if (time.status === 'refused') return time
  return {
    status: 'checked',
    webhookId,
    timestamp: time.seconds,
    signedPrefix: `${webhookId}.${timestamp}.`,
    signatures: entries.signatures,
  }
}
