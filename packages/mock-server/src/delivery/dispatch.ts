import type { Cancellable } from '../clock/timeline.ts'
import type { Delivery } from './delivery.ts'
import type { Endpoint } from './endpoint.ts'

/** A delivery in progress. */
export interface Dispatch {
  readonly delivery: { -readonly [Field in keyof Delivery]: Delivery[Field] }
  readonly endpoint: Endpoint
  /** Its order among departures at the same instant: the order of creation. */
  readonly rank: number
  /** The scheduled attempt, if there is one. */
  departure: Cancellable | undefined
  /** Resolves after the first attempt, or when there will be none. */
  readonly firstOutcome: PromiseWithResolvers<void>
}
