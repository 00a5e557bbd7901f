import type { Answer } from '../interfaces/answer.ts'
import type { AttemptHeaders } from '../verifier/signature-headers.ts'

/** A request to the receiver, as an adapter presents it. */
export interface IncomingAttempt {
  readonly method: string
  /** The path of the URL as the service requested it, including a router's prefix, without the query. */
  readonly path: string
  readonly headers: AttemptHeaders
  /** Reads the raw body: at most `maxBytes`, and only until the deadline has passed. */
  readBody(maxBytes: number, deadline: BodyDeadline): Promise<BodyReading>
  /**
   * Keeps a serverless instance alive for a handler that is past its deadline, on platforms where each request has its own `waitUntil`. It
   * is used instead of the receiver's option of that name.
   *
   * @param work  resolves with the answer that the delivery would have got without the deadline; never rejects
   */
  readonly waitUntil?: ((work: Promise<Answer>) => void) | undefined
  /** Whether other code has already sent a response, so that the answer of the receiver cannot be sent. */
  readonly isAnswered?: (() => boolean) | undefined
}

/** A request to the receivers of many integrations. */
export interface RoutedAttempt extends IncomingAttempt {
  /** The id of the integration that the request names, unchecked. Without one it is answered 404. */
  readonly integration: string | undefined
}

/** The time by which a body must have arrived. */
export interface BodyDeadline {
  /** Resolves when the deadline has passed. Reading this property starts a timer, so read it only to wait. */
  readonly passed: Promise<void>
}

/** The result of reading a body. */
export type BodyReading =
  | { readonly status: 'read'; readonly bytes: Uint8Array }
  | { readonly status: 'too-large' }
  /** The body did not arrive in time. */
  | { readonly status: 'too-slow' }
  /** The connection closed before the whole body arrived. */
  | { readonly status: 'incomplete' }
  /** A parser consumed the bytes before the receiver could read them. */
  | { readonly status: 'already-parsed' }
