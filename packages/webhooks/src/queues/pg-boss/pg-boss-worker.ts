import { refuseUnknownOptions } from '@notewire/protocol'
import type { Logger } from '../../interfaces/logger.ts'
import type { QueueWorker } from '../../interfaces/queue.ts'
import { unfailing } from '../../observing/error-trace.ts'
import { DEFAULT_CONCURRENCY, refuseCount } from '../retries.ts'
import { type ProcessingReceiver, runJob } from '../run-job.ts'
import { type BossJob, transactionsOf } from './boss.ts'
import { createQueues, type PgBossPlace, type ResolvedPlace, resolvePlace } from './place.ts'

/** The options of `pgBossWorker`. */
export interface PgBossWorkerOptions extends PgBossPlace {
  /**
   * The maximum number of events that this worker processes concurrently. Events of one note are processed one at a time.
   *
   * @default 10
   */
  readonly concurrency?: number | undefined
  /**
   * Receives a line if a job belongs to another receiver. The outcomes of events go to the receiver's logger and hooks, and errors of
   * PostgreSQL to the `error` listener of the `PgBoss`.
   *
   * @default console
   */
  readonly logger?: Logger | undefined
}

/** How often an idle worker polls for events. A busy worker fetches the next event at once. */
const POLL_SECONDS = 1

/**
 * Processes the events of a queue by `receiver.process`, until it is closed. All workers must share a store: the queue alone neither
 * recognises events that were processed before, nor prevents two events of one note from being processed concurrently.
 *
 * An event that waits for another event of its note is retried without using an attempt, and so is an event while the store does not
 * answer. An event whose handler fails, or takes longer than `handlerTimeoutMs` of the receiver, is retried with growing delays, and then
 * becomes a dead letter. If a worker dies, other workers get its events within 20 s plus the `superviseIntervalSeconds` of pg-boss, 60 by
 * default.
 *
 * @throws OptionError for invalid options
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { pgBossWorker } from '@notewire/webhooks/pg-boss'
 * import { PgBoss } from 'pg-boss'
 *
 * const boss = new PgBoss('postgres://127.0.0.1/app')
 * boss.on('error', console.error)
 * await boss.start()
 *
 * const receiver = createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], on: {} }) // the one that receives, with its store
 * const worker = await pgBossWorker(receiver, { boss })
 *
 * process.once('SIGTERM', async () => {
 *   await Promise.all([worker.close(), receiver.close()])
 *   await boss.stop()
 * })
 * ```
 */
export async function pgBossWorker(receiver: ProcessingReceiver, options: PgBossWorkerOptions): Promise<QueueWorker> {
  refuseUnknownOptions('pgBossWorker', options, ['boss', 'name', 'concurrency', 'logger'])
  const { concurrency = DEFAULT_CONCURRENCY } = options
  refuseCount('concurrency', concurrency, DEFAULT_CONCURRENCY)
  const logger = unfailing(options.logger ?? console)
  const place = resolvePlace(options)
  const { boss, name } = place
  transactionsOf(boss)
  await createQueues(place)
  const ids = await Promise.all(Array.from({ length: concurrency }, () => startWorker(receiver, place, logger)))

  async function close(): Promise<void> {
    await Promise.all(ids.map((id) => boss.offWork(name, { id, wait: true })))
  }
  return { close, [Symbol.asyncDispose]: close }
}

/** Starts a worker of pg-boss, which processes one event at a time, and returns its id. */
async function startWorker(receiver: ProcessingReceiver, place: ResolvedPlace, logger: Logger): Promise<string> {
  const { boss, name } = place
  const id = await boss.work(name, { includeMetadata: true, pollingIntervalSeconds: POLL_SECONDS }, async (jobs) => {
    // Otherwise pg-boss would wait before it fetches the next event, even if more events are queued.
    boss.notifyWorker(id)
    for (const job of jobs) await run(receiver, place, job, logger)
  })
  return id
}

async function run(receiver: ProcessingReceiver, place: ResolvedPlace, job: BossJob, logger: Logger): Promise<void> {
  const settlement = await runJob(receiver, job.data, logger)
  switch (settlement.status) {
    case 'complete':
      return
    case 'retry':
      throw settlement.error
    case 'postpone':
      await postpone(place, job, settlement.delayMs)
  }
}

/** Replaces a job by a new one, because pg-boss counts an attempt each time it starts a job again. */
async function postpone({ boss, name }: ResolvedPlace, job: BossJob, delayMs: number): Promise<void> {
  const transaction = await transactionsOf(boss).beginTransaction()
  const { db } = transaction
  try {
    await boss.deleteJob(name, job, { db })
    await boss.send(name, job.data as object, {
      singletonKey: job.singletonKey,
      startAfter: Math.ceil(delayMs / 1_000),
      retryLimit: job.retryLimit - job.retryCount,
      db,
    })
    await transaction.commit()
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}
