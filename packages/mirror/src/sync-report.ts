/** How to sync. */
export interface SyncOptions {
  /** Ends the sync, which then rejects with the signal's reason. What is done is kept. */
  readonly signal?: AbortSignal | undefined
  /**
   * Whether to list everything, and find what was deleted or lost without an event: `'when-due'` once a day, `'now'`, or `'never'`.
   *
   * @default 'when-due'
   */
  readonly scan?: 'when-due' | 'now' | 'never' | undefined
}

/** What a sync did. */
export interface SyncReport {
  /** `false` when another process lists at this moment, so that only notes that were due were read. */
  readonly listed: boolean
  /** How many notes were read, or had their content read. */
  readonly settled: number
  /** How many could not be read, and wait for another try. */
  readonly postponed: number
  /**
   * When there is something to do again, in milliseconds since the Unix epoch: a note that waits for another try, the next poll, or the
   * turn to list, when another process has it.
   */
  readonly nextAt: number
}
