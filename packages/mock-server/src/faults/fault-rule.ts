import type { EventKind } from '@notewire/protocol'
import type { Duration } from '../clock/duration.ts'

/**
 * What is to go wrong, and when: for requests to the API, or for attempts at receivers.
 *
 * @example
 * ```ts
 * import { createNotesService, type FaultRule } from '@notewire/mock-server'
 *
 * const thirdPageBreaks: FaultRule = { request: 'GET /v1/notes', calls: 3, fault: { kind: 'truncated' } }
 * const tenthOfAllAnswersIsLost: FaultRule = { delivery: '*', rate: 0.1, fault: { kind: 'lost', lost: 'answer' } }
 * await using service = await createNotesService({ seed: 7, faults: [thirdPageBreaks, tenthOfAllAnswersIsLost] })
 * console.log(service.recipe)
 * ```
 */
export type FaultRule = RequestFaultRule | DeliveryFaultRule

/** Which of the calls that a rule is about are struck. */
interface Strikes {
  /** The third, or the first and the third, counted from 1 since the rule was made. @default all of them */
  readonly calls?: number | readonly number[] | undefined
  /** The share of them from 0 to 1, chosen by the seed. @default 1 */
  readonly rate?: number | undefined
}

/** What is to go wrong with requests to the API. */
export interface RequestFaultRule extends Strikes {
  /**
   * Method and path: `GET /v1/notes`. `*` stands for any method or for one segment of the path, a `**` at the end for all that
   * follows: `* /v1/**`.
   */
  readonly request: string
  readonly fault: RequestFault
}

/** What is to go wrong with attempts at receivers. */
export interface DeliveryFaultRule extends Strikes {
  /** The kind of event. `*` stands for all but `endpoint.verification`. */
  readonly delivery: EventKind | '*'
  /** @default every endpoint */
  readonly endpoint_id?: string | undefined
  readonly fault: DeliveryFault
}

/** One thing that goes wrong with a request to the API. */
export type RequestFault =
  /** It is refused, before anything is done. `retryAfter`: seconds, or any other text for that header. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number | string | undefined }
  /** It is answered later. Virtual time moves on by itself. */
  | { readonly kind: 'latency'; readonly by: Duration }
  /** The second half of the answer is missing. */
  | { readonly kind: 'truncated' }
  /** The answer says that it is JSON, and is not. */
  | { readonly kind: 'malformed' }
  /** The connection breaks: with `'answer'` after the service has done what was asked, otherwise before it sees the request. */
  | { readonly kind: 'dropped'; readonly lost?: 'request' | 'answer' | undefined }
  /** The list of notes answers an empty page, with more to follow. */
  | { readonly kind: 'empty_page' }
  /** The list of notes answers fewer notes than it could: that many, or one. */
  | { readonly kind: 'short_page'; readonly notes?: number | undefined }

/** One thing that goes wrong with an attempt at a receiver. */
export type DeliveryFault =
  /** It arrives twice. */
  | { readonly kind: 'duplicated' }
  /** It leaves after the next attempt at the same endpoint has been answered, or a minute later when there is none. */
  | { readonly kind: 'reordered' }
  /** It leaves later. */
  | { readonly kind: 'delayed'; readonly by: Duration }
  /** With `'answer'` its answer is lost, after the receiver has handled it; otherwise it is, before the receiver sees it. */
  | { readonly kind: 'lost'; readonly lost?: 'request' | 'answer' | undefined }
  /** One character of its body is another. */
  | { readonly kind: 'corrupted' }
  /** It is signed with the secret before the last rotation alone; without a rotation, with one that nobody knows. */
  | { readonly kind: 'old_secret' }
  /** It is stamped and signed for another time: later for a positive number, earlier for a negative one. */
  | { readonly kind: 'skewed'; readonly seconds: number }
