/**
 * Why an attempt was refused. For logs and metrics: the sender only gets 401.
 *
 * - `missing-header`: one of `webhook-id`, `webhook-timestamp`, `webhook-signature` is missing or empty
 * - `malformed-header`: a header occurs twice, the timestamp is not plain digits, or there are more than 32 signatures
 * - `timestamp-too-old`, `timestamp-too-new`: outside the tolerance: a clock is wrong, or the attempt was replayed
 * - `no-matching-signature`: the secret is another one, or the body was changed
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
  /** The reason in words. It never contains a secret, a signature or the body. */
  readonly detail: string
}

/** An attempt that the service signed. */
export interface Verified {
  readonly status: 'verified'
  readonly webhookId: string
  /** When the service signed the attempt: Unix time in seconds. */
  readonly timestamp: number
  /** Which secret of the list matched: during a rotation, this shows whether the old secret is still used. */
  readonly secretIndex: number
}

/** The result of a `Verifier`. */
export type Verification = Verified | Refusal

export function refuse(reason: VerificationFailure, detail: string): Refusal {
  return { status: 'refused', reason, detail }
}
