import type { AttemptHeaders } from '../verifier/signature-headers.ts'
import type { Answer } from './answer.ts'

/** A request to the receiver, as an adapter presents it. */
export interface IncomingAttempt {
  readonly method: string
  /** The path of the URL as the service requested it, mount points included, without the query. */
  readonly path: string
  readonly headers: AttemptHeaders
  /**
   * The id of the integration that the request names, as it stands there. A receiver of many answers 404 without one; a receiver of one
   * ignores it.
   */
  readonly integration?: string | undefined
  /**
   * Reads the raw body: never more than `maxBytes`, and no longer than until `timeUp` resolves.
   */
  readBody(maxBytes: number, timeUp: Promise<void>): Promise<BodyReading>
  /**
   * Keeps the platform alive for a handler that is past its deadline, where that is a matter of each request. It goes before
   * the receiver's option of that name.
   *
   * @param work  ends with the answer that would have been right; never rejects
   */
  readonly waitUntil?: ((work: Promise<Answer>) => void) | undefined
}

/** What reading a body came to. */
export type BodyReading =
  | { readonly status: 'read'; readonly bytes: Uint8Array }
  | { readonly status: 'too-large' }
  /** The time was up first. */
  | { readonly status: 'too-slow' }
  /** The sender went away. */
  | { readonly status: 'incomplete' }
  /** Another parser consumed the bytes before the receiver was asked. */
  | { readonly status: 'already-parsed' }
