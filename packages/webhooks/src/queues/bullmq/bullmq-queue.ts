import { OptionError, refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import type { DeadLetter, DeadLetters, EventQueue, QueuedEvent } from '../../interfaces/queue.ts'
import { eventKey } from '../event-key.ts'
import { DEAD_LETTER_SECONDS, DEFAULT_ATTEMPTS, refuseAttempts } from '../retries.ts'
import type { BullmqEngine, BullmqJob } from './engine.ts'

/** What `bullmqQueue` takes in addition to the queue. */
export interface BullmqQueueOptions {
  /**
   * How often an event is tried before it becomes a dead letter. The pauses double from a second to an hour.
   *
   * @default 16 (four to five hours)
   */
  readonly attempts?: number | undefined
}

/** A queue of BullMQ. */
export interface BullmqQueue extends EventQueue, DeadLetters {}

/**
 * Makes a `Queue` of BullMQ one for the option `queue` of `createReceiver`. What it holds is processed by `bullmqWorker`, in
 * this process or, better, in others.
 *
 * An event that waits, runs or pauses between attempts is not queued twice. One that has failed for good runs again when
 * the service sends it again. Completed jobs are removed at once: whether an event was processed is the store's to know.
 *
 * Redis must not lose what it has confirmed: `appendonly yes`, `appendfsync always`, `maxmemory-policy noeviction`. With
 * `enableOfflineQueue: false`, deliveries are answered 503 at once when Redis is away, and not at the deadline.
 *
 * @param queue  yours to close. One queue serves all integrations of a receiver of many; give each receiver of one a queue of its own
 * @throws OptionError for options that cannot work
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { bullmqQueue } from '@notewire/webhooks/bullmq'
 * import { Queue } from 'bullmq'
 *
 * const queue = new Queue('notewire-events', { connection: { host: '127.0.0.1', enableOfflineQueue: false } })
 * queue.on('error', console.error)
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   queue: bullmqQueue(queue),
 *   on: { 'note.ended': async ({ data }) => console.log('fetch the transcript of', data.note_id) },
 * })
 * ```
 */
export function bullmqQueue(queue: BullmqEngine, options: BullmqQueueOptions = {}): BullmqQueue {
  refuseUnknownOptions('bullmqQueue', options, ['attempts'])
  const { attempts = DEFAULT_ATTEMPTS } = options
  refuseAttempts(attempts)
  if (typeof queue?.add !== 'function') {
    throw new OptionError(
      'queue',
      "queue must be a Queue of BullMQ, such as new Queue('notewire-events', { connection }).",
    )
  }

  async function enqueue(integration: string, event: WebhookEvent): Promise<void> {
    const queued: QueuedEvent = { integration, event }
    const jobId = eventKey(integration, event.event_id)
    const job = await queue.add(event.event_type, queued, { ...jobOptions(attempts), jobId })
    // BullMQ ignores, without a word, an id that is still in its failed set.
    await revive(job)
  }

  return {
    enqueue,
    listDeadLetters: async (limit = 100) => {
      const jobs = await queue.getJobs(['failed'], 0, limit, true)
      return jobs.slice(0, limit).map(deadLetterOf)
    },
    replayDeadLetters: async (letters) => {
      const replayed = await Promise.all(letters.map(async ({ id }) => await revive(await queue.getJob(id))))
      return replayed.filter(Boolean).length
    },
  }
}

function jobOptions(attempts: number): object {
  return {
    attempts,
    // By `retryDelayMs`, in the worker.
    backoff: { type: 'notewire' },
    // An id in the completed set is ignored as well, and a replay of the event would be lost.
    removeOnComplete: true,
    removeOnFail: { age: DEAD_LETTER_SECONDS },
    stackTraceLimit: 0,
  }
}

/** Has a job that failed for good run again, with all its attempts. */
async function revive(job: BullmqJob | undefined): Promise<boolean> {
  if (job === undefined || !(await job.isFailed())) return false
  try {
    await job.retry('failed', { resetAttemptsMade: true })
    return true
  } catch (error) {
    // Another delivery of the event was faster.
    if (await job.isFailed()) throw error
    return false
  }
}

function deadLetterOf({ id = '', data, failedReason, finishedOn = 0 }: BullmqJob): DeadLetter {
  return { ...(data as QueuedEvent), id, reason: failedReason, failedAt: new Date(finishedOn) }
}
