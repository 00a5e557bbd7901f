import type { Bench } from './bench.ts'
import type { Delivery } from './delivery.ts'
import type { Exchange } from './reply.ts'

/** A `must` that does not hold fails the receiver; a `should` warns. */
export type Severity = 'must' | 'should'

/** One statement of the contract, and how to find out whether it holds. */
export interface Check {
  /** Stable, for scripts: the group, a dot, and a name. */
  readonly id: string
  /** The statement as a sentence. */
  readonly title: string
  /** Where it stands: `§5, receiver rule 4`, `open point 26`. */
  readonly section: string
  readonly severity: Severity
  /** What to do when it does not hold, in one or two sentences. */
  readonly fix: string
  /** The id of an earlier check, without which this one would only say the same again. */
  readonly presupposes?: string | undefined
  /** Whether it says something of a receiver that does not even take a valid delivery. */
  readonly withoutValidDelivery?: boolean | undefined
  readonly examine: Examine
}

/** Finds out whether a statement holds. Throws nothing but the reason of the bench's signal. */
export type Examine = (bench: Bench) => Promise<Observation>

/** What an examination came to. */
export type Observation =
  | { readonly kind: 'held'; readonly seen: string }
  | {
      readonly kind: 'missed'
      readonly seen: string
      /** The request to repeat, where a single one shows it. */
      readonly delivery?: Delivery | undefined
      /** The probable cause, where the bench could find it. */
      readonly cause?: string | undefined
      /** Nearly right: warns even where the check is a `must`. */
      readonly nearly?: boolean | undefined
    }
  /** Nothing can be said, and why. */
  | { readonly kind: 'untested'; readonly reason: string }

/** Checks that belong together. */
export interface CheckGroup {
  readonly title: string
  readonly checks: readonly Check[]
}

/** The statement holds. */
export function held(seen: string): Observation {
  return { kind: 'held', seen }
}

/** The statement does not hold, as this exchange shows. */
export function missed(
  exchange: Exchange,
  seen: string,
  more: { readonly cause?: string | undefined; readonly nearly?: boolean } = {},
): Observation {
  return { kind: 'missed', seen, delivery: exchange.delivery, ...more }
}

/** Nothing can be said. */
export function untested(reason: string): Observation {
  return { kind: 'untested', reason }
}
