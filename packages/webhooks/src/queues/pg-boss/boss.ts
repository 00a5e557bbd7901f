import { OptionError } from '@notewire/protocol'

/** What the queue and its workers use of a `PgBoss`. */
export interface Boss {
  /** Makes a queue unless there is one of that name. */
  createQueue(name: string, options: object): Promise<void>
  /** Changes the options of a queue. */
  updateQueue(name: string, options: object): Promise<void>
  /** What is known of a queue. */
  getQueue(name: string): Promise<{ readonly policy?: string } | null>
  /** Adds a job, or gives `null` where the policy of the queue allows none. */
  send(name: string, data: object, options: object): Promise<string | null>
  /** Starts a worker. */
  work(
    name: string,
    options: { readonly includeMetadata: true; readonly pollingIntervalSeconds: number },
    handler: (jobs: readonly BossJob[]) => Promise<void>,
  ): Promise<string>
  /** Ends a worker. */
  offWork(name: string, options: { id: string; wait: boolean }): Promise<void>
  /** Has a worker look for jobs at once. */
  notifyWorker(id: string): void
  /** Removes a job, if it is still the attempt that was fetched. */
  deleteJob(name: string, job: { id: string; retryCount: number }, options: object): Promise<unknown>
  /** Lists the jobs of a queue. */
  findJobs(name: string, options: { queued: boolean }): Promise<readonly BossJob[]>
  /** Moves dead letters back to where they came from. */
  redrive(name: string, options: { ids: string[]; limit: number }): Promise<number>
  /** The database that it works on. */
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
  /** Of a dead letter: what the job ended with. */
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
  /** Commits it. */
  commit(): Promise<void>
  /** Rolls it back. */
  rollback(): Promise<void>
}

/** @throws OptionError for a database without transactions, which some adapters make */
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
