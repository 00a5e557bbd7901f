/** One request of a call, as errors tell of it. */
export interface CallAttempt {
  /** The HTTP status, when an answer came. */
  readonly status: number | undefined
  /** Why no complete answer came, when none did. */
  readonly failure: 'timeout' | 'network_error' | undefined
  /** The runtime's code for the failure, when there is one: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
  readonly networkCode: string | undefined
  /** The delay before it, in milliseconds; 0 for the first request. */
  readonly delayMs: number
}
