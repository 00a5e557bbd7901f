/** What the queue uses of a `Queue` of BullMQ. */
export interface BullmqEngine {
  /** Adds a job, unless there is one of the same id, in whatever state. */
  add(name: string, data: object, options: object): Promise<BullmqJob>
  /** Finds a job by its id. */
  getJob(id: string): Promise<BullmqJob | undefined>
  /** Lists jobs by their states. */
  getJobs(states: ['failed'], start: number, end: number, ascending: boolean): Promise<BullmqJob[]>
}

/** What queue and worker use of a `Job` of BullMQ. */
export interface BullmqJob {
  readonly id?: string | undefined
  readonly data: unknown
  readonly failedReason: string
  readonly finishedOn?: number | undefined
  /** Tells whether it has failed for good. */
  isFailed(): Promise<boolean>
  /** Has it run again. */
  retry(state: 'failed', options: { resetAttemptsMade: boolean }): Promise<void>
  /** Postpones it to a later time. */
  moveToDelayed(timestamp: number, token?: string): Promise<void>
}

/** What is used of a `Worker` of BullMQ. */
export interface BullmqWorkerEngine {
  /** Listens to what goes wrong between it and Redis. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Ends it, after what runs. */
  close(): Promise<void>
}
