import type { Cancellable } from '../clock/timeline.ts'
import type { Attempt } from './attempt.ts'
import type { Delivery } from './delivery.ts'
import type { Endpoint } from './endpoint.ts'

/** A delivery being worked on. */
export interface Dispatch {
  readonly delivery: { -readonly [Field in keyof Delivery]: Delivery[Field] }
  readonly endpoint: Endpoint
  /** Its place among departures at the same instant: that of its creation, whichever receiver answered faster since. */
  readonly rank: number
  /** The attempt to come, where one is. */
  departure: Cancellable | undefined
  /** Resolves with the outcome of the first attempt, or when there will be none. */
  readonly firstOutcome: PromiseWithResolvers<void>
}

/** The attempt of a delivery that departs now: signed afresh, stamped with the service's time (contract §5). */
export function attemptOf({ delivery, endpoint }: Dispatch, at: number): Attempt {
  const { delivery_id, event_id, event_type, endpoint_id, webhook_id, body } = delivery
  return {
    delivery_id,
    event_id,
    event_type,
    endpoint_id,
    webhook_id,
    attempt: delivery.attempts,
    duplicate: false,
    at,
    duration_ms: 0,
    headers: { 'content-type': 'application/json', ...endpoint.secret.headersFor({ webhook_id, body, at }) },
    outcome: { kind: 'in_flight' },
  }
}
