import type { Claim } from '@notewire/webhooks/store'
import type { Owner } from '../simulation/schedule.ts'
import type { AddressedEvent } from './scenario.ts'

/** A granted claim, and what the checker knows about it. */
export interface Grant {
  readonly claim: Claim
  readonly grantedAt: number
  validUntil: number
  /** Another claim was granted for its event or its note. */
  takenOver: boolean
  /** A store call with this claim failed. It may have taken effect nevertheless. */
  mayHaveEnded: boolean
  /** Its process froze, or the store was slow or down, so that the lease may expire before its renewal. */
  mayExpire: boolean
}

/** One call of a handler. */
export interface HandlerCall extends AddressedEvent {
  readonly owner: Owner
  readonly grant: Grant
  ended: boolean
  threw: boolean
}

/** The row that the handler call writes. */
export function rowOf({ integration, event }: HandlerCall): string {
  return `${integration} ${event.event_id}`
}
