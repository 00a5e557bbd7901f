import type { Claim } from '@notewire/webhooks'
import type { Owner } from '../simulation/schedule.ts'
import type { AddressedEvent } from './circumstances.ts'

/** A claim as the judge saw it granted. */
export interface Grant {
  readonly claim: Claim
  readonly grantedAt: number
  validUntil: number
  /** Another was granted for its event or its note. */
  takenOver: boolean
  /** A call of the store about this claim failed, so that it may not have been ended. */
  unsure: boolean
  /** Its process stood still, or the store was slow or away, so that it may not have been renewed in time. */
  troubled: boolean
}

/** One call of a handler. */
export interface HandlerCall extends AddressedEvent {
  readonly owner: Owner
  readonly grant: Grant
  /** It has asked to mark the event in its transaction, from which moment on nobody renews its claim. */
  marking: boolean
  ended: boolean
  threw: boolean
}

/** The row that is its effect. */
export function rowOf({ integration, event }: HandlerCall): string {
  return `${integration} ${event.event_id}`
}
