/** What a commit that announces notes passes to the store, which begins a run unless it continues the current one. */
export interface RunRequest {
  /** The run that this store instance has begun, or continued, last; `null` before its first commit that announces a note. */
  readonly current: string | null
  /** The latest position that this store instance has written in its current run. An earlier one shows that the database was restored. */
  readonly position: number
  /** The id of the run to begin. */
  readonly next: string
}

/** The runs of the feeds that one store instance writes, by integration. See `MirrorStore.readFeed`. */
export class FeedRuns {
  readonly #known = new Map<string, Omit<RunRequest, 'next'>>()

  request(integration: string): RunRequest {
    // 48 random bits.
    const next = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
    return { ...(this.#known.get(integration) ?? { current: null, position: 0 }), next }
  }

  /**
   * Records that a commit has announced notes.
   *
   * @param hasBegun  whether it has begun the run `next`
   * @param position  the latest position after it
   */
  record(integration: string, { current, next }: RunRequest, hasBegun: boolean, position: number): void {
    const run = hasBegun ? next : current
    const known = this.#known.get(integration)
    // Commits run concurrently, so an earlier one may be recorded later.
    const latest = known?.current === run ? Math.max(known.position, position) : position
    this.#known.set(integration, { current: run, position: latest })
  }
}
