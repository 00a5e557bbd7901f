import { OptionError } from '@notewire/protocol'

/** The methods that the queue and its workers call on a `PgBoss`. */
export interface Boss {
  /** Creates a queue unless one of that name exists. */
  createQueue(name: string, options: object): Promise<void>
  /** Changes the options of a queue. */
  updateQueue(name: string, options: object): Promise<void>
  /** Reads the options of a queue; `null` if there is no such queue. */
  getQueue(name: string): Promise<{ readonly policy?: string } | null>
  /** Adds a job. Returns `null` if the policy of the queue does not allow the job. */
  send(name: string, data: object, options: object): Promise<string | null>
  /** Starts a worker. */
  work(
    name: string,
    options: { readonly includeMetadata: true; readonly pollingIntervalSeconds: number },
    handler: (jobs: readonly BossJob[]) => Promise<void>,
  ): Promise<string>
  /** Ends a worker. */
  offWork(name: string, options: { id: string; wait: boolean }): Promise<void>
  /** Makes a worker fetch jobs at once. */
  notifyWorker(id: string): void
  /** Removes a job, unless another attempt of it has started. */
  deleteJob(name: string, job: { id: string; retryCount: number }, options: object): Promise<unknown>
  /** Lists the jobs of a queue. */
  findJobs(name: string, options: { queued: boolean }): Promise<readonly BossJob[]>
  /** Moves dead letters back to the queue that they came from. */
  redrive(name: string, options: { ids: string[]; limit: number }): Promise<number>
  /** Returns the database of the `PgBoss`. */
  getDb(): BossDatabase
}

/** A job of pg-boss, with its metadata. */
export interface BossJob {
  readonly id: string
  readonly data: unknown
  readonly singletonKey: string | null
  readonly retryCount: number
  readonly retryLimit: number
  readonly createdOn: Date
  /** The error of the last attempt, if the job is a dead letter. */
  readonly sourceOutput: object | null
}

/** The database of a `PgBoss`. */
export interface BossDatabase {
  /** Begins a transaction. Some adapters cannot. */
  beginTransaction?(): Promise<BossTransaction>
}

/** A transaction that pg-boss has begun. */
export interface BossTransaction {
  readonly db: object
  /** Commits the transaction. */
  commit(): Promise<void>
  /** Rolls the transaction back. */
  rollback(): Promise<void>
}

/** @throws OptionError if the database adapter has no transactions */
export function transactionsOf(boss: Boss): Required<BossDatabase> {
  const database = boss.getDb()
  if (hasTransactions(database)) return database
  throw new OptionError(
    'boss',
    'the database adapter of boss has no beginTransaction, which an event needs to wait for another event of its note. Pass ' +
      'PgBoss a connection string, or an adapter that supports transactions.',
  )
}

function hasTransactions(database: BossDatabase): database is Required<BossDatabase> {
  return typeof database.beginTransaction === 'function'
}
