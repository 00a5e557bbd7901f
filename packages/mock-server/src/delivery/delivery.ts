import type { EventKind } from '@notewire/protocol'
import type { Cancellable } from '../clock/timeline.ts'
import type { Endpoint } from './endpoint.ts'

/** The delivery of one event to one endpoint. */
export interface Delivery {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: EventKind
  readonly endpoint_id: string
  /** The owner whose integration the endpoint belongs to. */
  readonly owner_id: string
  /** The same in every attempt (open point 19). */
  readonly webhook_id: string
  /** For a replay: the delivery that it repeats. */
  readonly replay_of: string | undefined
  /** When it was created, in milliseconds since the Unix epoch. */
  readonly created_at: number
  /** The body of every attempt, byte for byte. */
  readonly body: string
  /** How many attempts were made. */
  readonly attempts: number
  readonly status: DeliveryStatus
}

/**
 * The status of a delivery: `pending` (an attempt is in flight or scheduled), `delivered`, `given_up` (all 7 attempts failed), or
 * `lost` (it was due while its endpoint was not active, was verified again, or was deleted).
 */
export type DeliveryStatus = 'pending' | 'delivered' | 'given_up' | 'lost'

/** A delivery in progress. */
export interface Dispatch {
  readonly delivery: { -readonly [Field in keyof Delivery]: Delivery[Field] }
  readonly endpoint: Endpoint
  /** Decides between deliveries that are scheduled for the same instant: the order of creation. */
  readonly rank: number
  /** The scheduled next attempt. */
  scheduled: Cancellable | undefined
  /** Resolves after the first attempt, or when there will be none. */
  readonly firstOutcome: PromiseWithResolvers<void>
}
