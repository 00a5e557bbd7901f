import type { ProcessOutcome, VerificationFailure } from '@notewire/webhooks'

/** A delivery as it arrived. */
export interface Arrival {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

/** What the receiver found. */
export interface Judgement {
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  /** Why a signature or a timestamp was not accepted. */
  readonly refusal: { readonly reason: VerificationFailure; readonly detail: string } | undefined
  /** What became of the event, when there was one. */
  readonly outcome: ProcessOutcome | undefined
  readonly isVerified: boolean
}

/** What the other receiver answered to a delivery that was forwarded. */
export type Forwarding =
  | { readonly status: number }
  /** It could not be reached, or did not answer in time. */
  | { readonly problem: string }

/** A delivery with everything that is known of it. */
export interface Received {
  /** When it arrived: milliseconds since the Unix epoch. */
  readonly at: number
  readonly tookMs: number
  readonly arrival: Arrival
  readonly judgement: Judgement
  readonly forwarding: Forwarding | undefined
  /** The status that the service was answered with. */
  readonly answered: number
}
