import type { EventKind } from '@notewire/protocol'

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: EventKind
  readonly endpoint_id: string
  /** One for an event and endpoint: the same in every attempt (open point 19). */
  readonly webhook_id: string
  /** The delivery that this one repeats, for a replay. */
  readonly replay_of: string | undefined
  /** When it was created, in milliseconds since the Unix epoch. */
  readonly created_at: number
  /** What every attempt carries, byte for byte. */
  readonly body: string
  /** How many attempts have left. */
  readonly attempts: number
  readonly status: DeliveryStatus
}

/**
 * Where a delivery stands: `pending` (an attempt is under way or to come), `delivered`, `given_up` (all 7 attempts failed), or
 * `lost` (it fell due while its endpoint could not be sent to: not active, verified anew, or deleted).
 */
export type DeliveryStatus = 'pending' | 'delivered' | 'given_up' | 'lost'
