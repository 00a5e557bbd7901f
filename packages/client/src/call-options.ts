/** What can be said about any one call. */
export interface CallOptions {
  /** Ends the call, its pauses and its retries: it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}
