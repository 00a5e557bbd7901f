import type { EventKind } from '@notewire/protocol'

/** One HTTP request of a delivery, in the log of its service. Times are the service's clock's. */
export interface Attempt {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: EventKind
  readonly endpoint_id: string
  /** One for an event and endpoint: the same in every attempt (open point 19). */
  readonly webhook_id: string
  /** From 1, up to 7 (contract §8). */
  readonly attempt: number
  /** `true` for the second arrival of an attempt that the disorder switch duplicated. Its outcome decides nothing. */
  readonly duplicate: boolean
  /** When it left, in milliseconds since the Unix epoch. */
  readonly at: number
  /** From leaving to its outcome, in milliseconds; 0 while in flight. */
  readonly duration_ms: number
  /** Every header that was sent, the signature's three among them. */
  readonly headers: Readonly<Record<string, string>>
  readonly outcome: AttemptOutcome
}

/** How an attempt went. Only an answer with a status from 200 to 299 is a success (contract §3). */
export type AttemptOutcome =
  /** It is under way. */
  | { readonly kind: 'in_flight' }
  /** The receiver answered. Redirects are answers too: they are not followed. */
  | { readonly kind: 'answered'; readonly status: number }
  /** The receiver did not answer within 10 seconds. */
  | { readonly kind: 'timed_out' }
  /**
   * There was nobody to answer, or it broke off. The reason is a system's error code, the name of what the receiver threw, or
   * `service_closed`.
   */
  | { readonly kind: 'connection_failed'; readonly reason: string }
  /** The disorder switch lost it: the request, before the receiver saw it, or the answer, after it handled it. */
  | { readonly kind: 'dropped'; readonly lost: 'request' | 'answer' }

/** Tells whether an attempt succeeded: a 2xx answer (contract §3). */
export function isSuccess(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300
}
