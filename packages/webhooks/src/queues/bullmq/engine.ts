/** The methods that `bullmqQueue` calls on a `Queue` of BullMQ. */
export interface BullmqEngine {
  /** Adds a job, unless a job with the same deduplication id is waiting, running or delayed. */
  add(name: string, data: object, options: object): Promise<BullmqJob>
  /** Finds a job by its id. */
  getJob(id: string): Promise<BullmqJob | undefined>
  /** Lists jobs by their states. */
  getJobs(states: ['failed'], start: number, end: number, ascending: boolean): Promise<BullmqJob[]>
}

/** The members of a `Job` of BullMQ that the queue and the worker use. */
export interface BullmqJob {
  readonly id?: string | undefined
  readonly data: unknown
  readonly failedReason: string
  readonly finishedOn?: number | undefined
  /** Whether the job failed and has no attempts left. */
  isFailed(): Promise<boolean>
  /** Queues the job again. */
  retry(state: 'failed', options: { resetAttemptsMade: boolean }): Promise<void>
  /** Postpones the job to a later time. */
  moveToDelayed(timestamp: number, token?: string): Promise<void>
}

/** The methods that `bullmqWorker` calls on a `Worker` of BullMQ. */
export interface BullmqWorkerEngine {
  /** Listens to errors of its connection to Redis. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Closes the worker after its running jobs. */
  close(): Promise<void>
}
