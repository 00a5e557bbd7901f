/**
 * Why an attempt was refused. For logs and metrics: whoever sent it is told nothing but 401.
 *
 * - `missing-header`: one of `webhook-id`, `webhook-timestamp`, `webhook-signature` is not there or empty
 * - `malformed-header`: one is there twice, the timestamp is not plain digits, or there are over 32 signatures
 * - `timestamp-too-old`, `timestamp-too-new`: outside the tolerance; a clock is off, or somebody replays
 * - `no-matching-signature`: another secret, or a body that is not the one that was signed
 */
export type VerificationFailure =
  | 'missing-header'
  | 'malformed-header'
  | 'timestamp-too-old'
  | 'timestamp-too-new'
  | 'no-matching-signature'

/** An attempt that was not accepted, and why. */
export interface Refusal {
  readonly status: 'refused'
  readonly reason: VerificationFailure
  /** The reason in words, with the facts that help: never a secret, a signature or the body. */
  readonly detail: string
}

/** An attempt that the service signed. */
export interface Verified {
  readonly status: 'verified'
  readonly webhookId: string
  /** When the service signed the attempt: Unix time in seconds. */
  readonly timestamp: number
  /** Which secret of the list matched, so that the last use of an old one can be watched during a rotation. */
  readonly secretIndex: number
}

/** What a `Verifier` found. */
export type Verification = Verified | Refusal

/** Refuses an attempt. */
export function refuse(reason: VerificationFailure, detail: string): Refusal {
  return { status: 'refused', reason, detail }
}
