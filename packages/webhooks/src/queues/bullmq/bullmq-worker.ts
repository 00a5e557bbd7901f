import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import type { Logger } from '../../interfaces/logger.ts'
import type { QueueWorker } from '../../interfaces/queue.ts'
import { traceOf, unfailing } from '../../observing/error-trace.ts'
import { DEFAULT_CONCURRENCY, retryDelayMs } from '../retries.ts'
import { type ProcessingReceiver, runJob } from '../run-job.ts'
import type { BullmqJob, BullmqWorkerEngine } from './engine.ts'

/** The options of `bullmqWorker`. */
export interface BullmqWorkerOptions {
  /**
   * Receives a line if Redis does not answer, and if a job belongs to another receiver. The outcomes of events go to the receiver's logger
   * and hooks.
   *
   * @default console
   */
  readonly logger?: Logger | undefined
}

/** Processes the job of one event. */
export type BullmqProcessor = (job: BullmqJob, token?: string) => Promise<void>

/** The options that a `Worker` needs, with a default `concurrency` that you may change. */
export interface BullmqWorkerSettings {
  readonly concurrency: number
  readonly lockDuration: number
  readonly stalledInterval: number
  readonly maxStalledCount: number
  readonly settings: {
    /** Returns the delay after this number of failures, in milliseconds: doubling from a second to an hour, with jitter. */
    readonly backoffStrategy: (failures: number) => number
  }
}

const SETTINGS: BullmqWorkerSettings = {
  concurrency: DEFAULT_CONCURRENCY,
  // As long as the lease of a claim in the store. BullMQ renews the lock at half of it.
  lockDuration: 20_000,
  stalledInterval: 5_000,
  // An event whose workers die this often is probably the cause.
  maxStalledCount: 10,
  settings: { backoffStrategy: (failures) => retryDelayMs(failures) },
}

/**
 * Processes the events of a queue by `receiver.process`, until it is closed. All workers must share a store: the queue alone neither
 * recognises events that were processed before, nor prevents two events of one note from being processed concurrently.
 *
 * An event that waits for another event of its note is retried without using an attempt, and so is an event while the store does not
 * answer. An event whose handler fails, or takes longer than `handlerTimeoutMs` of the receiver, is retried with growing delays, and then
 * becomes a dead letter. If a worker dies, other workers get its events within half a minute.
 *
 * @param start  creates the `Worker` of BullMQ with its arguments. Events of one note are processed one at a time, with any `concurrency`
 * @throws OptionError for invalid options
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { bullmqWorker } from '@notewire/webhooks/bullmq'
 * import { Worker } from 'bullmq'
 *
 * const receiver = createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], on: {} }) // the one that receives, with its store
 * const worker = bullmqWorker(
 *   receiver,
 *   (process, settings) =>
 *     new Worker('notewire-events', process, { ...settings, concurrency: 20, connection: { host: '127.0.0.1' } }),
 * )
 *
 * process.once('SIGTERM', async () => {
 *   await Promise.all([worker.close(), receiver.close()])
 * })
 * ```
 */
export function bullmqWorker(
  receiver: ProcessingReceiver,
  start: (process: BullmqProcessor, settings: BullmqWorkerSettings) => BullmqWorkerEngine,
  options: BullmqWorkerOptions = {},
): QueueWorker {
  refuseUnknownOptions('bullmqWorker', options, ['logger'])
  if (typeof start !== 'function') {
    throw new OptionError(
      'start',
      'bullmqWorker needs a function that creates the Worker: (process, settings) => new Worker(name, process, settings).',
    )
  }
  const logger = unfailing(options.logger ?? console)
  const worker = start((job, token) => run(receiver, job, token, logger), SETTINGS)
  if (typeof worker?.on !== 'function') {
    throw new OptionError(
      'start',
      'the function passed to bullmqWorker did not return a Worker of BullMQ. Return the Worker from it.',
    )
  }
  worker.on('error', (error) =>
    logger.error(
      'a queue worker got an error from Redis and keeps running; check the connection',
      traceOf(error, 'BullMQ'),
    ),
  )

  return { close: () => worker.close(), [Symbol.asyncDispose]: () => worker.close() }
}

async function run(
  receiver: ProcessingReceiver,
  job: BullmqJob,
  token: string | undefined,
  logger: Logger,
): Promise<void> {
  const settlement = await runJob(receiver, job.data, logger)
  switch (settlement.status) {
    case 'complete':
      return
    case 'retry':
      throw settlement.error
    case 'postpone':
      await job.moveToDelayed(Date.now() + settlement.delayMs, token)
      throw new JobPostponed()
  }
}

/** BullMQ recognises this error by its name: the job neither completed nor failed. */
class JobPostponed extends Error {
  override readonly name = 'DelayedError'
}
