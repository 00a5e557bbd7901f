import type { EventKind } from '@notewire/protocol'
import type { DeliveryFault } from '../faults/fault-rule.ts'

/** One HTTP request of a delivery, in the log of its service. Times are the service's clock's. */
export interface Attempt {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: EventKind
  readonly endpoint_id: string
  /** One for an event and endpoint: the same in every attempt, and a new one in a replay (open point 19). */
  readonly webhook_id: string
  /** From 1, up to 7 (contract §8). */
  readonly attempt: number
  /** `true` for the second arrival of an attempt that was duplicated. Its outcome decides nothing. */
  readonly duplicate: boolean
  /** When it left, in milliseconds since the Unix epoch. */
  readonly at: number
  /** From leaving to its outcome, in milliseconds; 0 while in flight. */
  readonly duration_ms: number
  /** Where it went: the endpoint's URL at that time. */
  readonly url: string
  /** Every header that was sent, the signature's three among them. */
  readonly headers: Readonly<Record<string, string>>
  /** What was sent, byte for byte. */
  readonly body: string
  /** The faults that struck it, without those of the disorder switch. */
  readonly faults: readonly DeliveryFault['kind'][]
  readonly outcome: AttemptOutcome
  /** What the receiver answered, if it did. */
  readonly response: AttemptResponse | undefined
}

/** What a receiver answered an attempt with, beside the status. */
export interface AttemptResponse {
  readonly headers: Readonly<Record<string, string>>
  /** As text, up to 4 KiB of it. */
  readonly body: string
  /** Whether there was more of it. */
  readonly truncated: boolean
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
   * There was nobody to answer, or it broke off. The reason is a system's error code, the name of what the receiver threw,
   * `address_not_public` when the URL policy refuses where the name leads, or `service_closed`.
   */
  | { readonly kind: 'connection_failed'; readonly reason: string }
  /** It was lost on the way: the request, before the receiver saw it, or the answer, after it handled it. */
  | { readonly kind: 'dropped'; readonly lost: 'request' | 'answer' }

/** Tells whether an attempt succeeded: a 2xx answer (contract §3). */
export function isSuccess(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300
}
