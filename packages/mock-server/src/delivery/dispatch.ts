import type { Cancellable } from '../clock/timeline.ts'
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
