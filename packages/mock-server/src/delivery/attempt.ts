import { type EventKind, SIGNATURE_HEADERS } from '@notewire/protocol'
import type { DeliveryFault } from '../faults/fault-rule.ts'
import type { AttemptFaults } from './attempt-faults.ts'
import type { Dispatch } from './delivery.ts'

/** One HTTP request of a delivery, as the service logs it. The times come from the service's clock. */
export interface Attempt {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: EventKind
  readonly endpoint_id: string
  /** The same in every attempt of a delivery, and a new one in a replay (open point 19). */
  readonly webhook_id: string
  /** From 1, up to 7 (contract §8). */
  readonly attempt: number
  /** `true` for the second request of a duplicated attempt. Its outcome has no effect. */
  readonly duplicate: boolean
  /** When it was sent, in milliseconds since the Unix epoch. */
  readonly at: number
  /** The time from sending to the outcome, in milliseconds; 0 while in flight. */
  readonly duration_ms: number
  /** The URL of the endpoint when it was sent. */
  readonly url: string
  /** Every header that was sent, including the three of the signature. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, byte for byte. */
  readonly body: string
  /** The faults that fault rules caused. Those of the disorder are not listed. */
  readonly faults: readonly DeliveryFault['kind'][]
  readonly outcome: AttemptOutcome
  /** The answer of the receiver, if it answered. */
  readonly response: AttemptResponse | undefined
}

/** The answer of a receiver, apart from its status. */
export interface AttemptResponse {
  readonly headers: Readonly<Record<string, string>>
  /** The first 4 KiB, as text. */
  readonly body: string
  /** Whether the body is longer than what was logged. */
  readonly truncated: boolean
}

/** The outcome of an attempt. Only an answer with a status from 200 to 299 is a success (contract §3). */
export type AttemptOutcome =
  /** The attempt is in flight. */
  | { readonly kind: 'in_flight' }
  /** The receiver answered. Redirects are answers too: they are not followed. */
  | { readonly kind: 'answered'; readonly status: number }
  /** The receiver did not answer within 10 seconds. */
  | { readonly kind: 'timed_out' }
  /**
   * The connection failed or broke. The reason is an error code of the system, the name of the error that the receiver threw, or
   * `service_closed`.
   */
  | {
      readonly kind: 'connection_failed'
      readonly reason: string
      /** The message of the error that a receiver in this process threw. */
      readonly message?: string
    }
  /** A fault lost the request before the receiver got it, or the answer after the receiver had handled the request. */
  | { readonly kind: 'dropped'; readonly lost: 'request' | 'answer' }

/** Whether an attempt succeeded: a 2xx answer (contract §3). */
export function isSuccess(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300
}

/** A new attempt of a delivery, with a new signature and the current time of the service (contract §5). */
export function newAttempt(
  { delivery, endpoint }: Dispatch,
  webhook_id: string,
  now: number,
  { skewMs, signedByOldSecret, corrupted, fromRules }: AttemptFaults,
): Attempt {
  const { delivery_id, event_id, event_type, endpoint_id, body, attempts } = delivery
  const { secrets, url } = endpoint
  const signed = { webhook_id, body, at: now + skewMs }
  return {
    ...{ delivery_id, event_id, event_type, endpoint_id, webhook_id, attempt: attempts },
    duplicate: false,
    at: now,
    duration_ms: 0,
    url,
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADERS.id]: webhook_id,
      [SIGNATURE_HEADERS.timestamp]: String(Math.floor(signed.at / 1000)),
      [SIGNATURE_HEADERS.signature]: signedByOldSecret ? secrets.signWithOldSecret(signed) : secrets.sign(signed, now),
    },
    body: corrupted === undefined ? body : withAnotherCharacterAt(Math.floor(corrupted * body.length), body),
    faults: fromRules,
    outcome: { kind: 'in_flight' },
    response: undefined,
  }
}

function withAnotherCharacterAt(index: number, body: string): string {
  return body.slice(0, index) + (body[index] === 'x' ? 'y' : 'x') + body.slice(index + 1)
}
