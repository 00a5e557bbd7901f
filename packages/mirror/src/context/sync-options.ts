/** How to sync. */
export interface SyncOptions {
  /** Ends the sync, which then rejects with the signal's reason. Committed work is kept. */
  readonly signal?: AbortSignal | undefined
  /**
   * Whether to scan, which finds unannounced deletions and lost access: `'when-due'` (once a day), `'now'`, or `'never'`.
   *
   * @default 'when-due'
   */
  readonly scan?: 'when-due' | 'now' | 'never' | undefined
}

/** What a sync did. */
export interface SyncReport {
  /** `false` if another process lists at this moment, so that this one only read the notes that were due. */
  readonly listed: boolean
  /** How many notes were read, or had their content read. */
  readonly settled: number
  /** How many could not be read, and are tried again later. */
  readonly postponed: number
  /**
   * When there is work again, in milliseconds since the Unix epoch: a note that is tried again, the next poll, or the end of another
   * process's lease.
   */
  readonly nextAt: number
}
