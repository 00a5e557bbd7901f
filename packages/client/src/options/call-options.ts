/** The options of one call. */
export interface CallOptions {
  /** Ends the call, its delays and its retries: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * How long the call may take in all, in milliseconds. A listing makes a call for each page.
   *
   * @default the client's `totalTimeoutMs`
   */
  readonly totalTimeoutMs?: number | undefined
}
