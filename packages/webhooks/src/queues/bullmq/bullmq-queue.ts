import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import type { DeadLetter, DeadLetters, EventQueue, QueuedEvent } from '../../interfaces/queue.ts'
import { eventKey } from '../event-key.ts'
import { DEAD_LETTER_SECONDS, DEFAULT_ATTEMPTS, refuseCount } from '../retries.ts'
import type { BullmqEngine, BullmqJob } from './engine.ts'

/** The options of `bullmqQueue`. */
export interface BullmqQueueOptions {
  /**
   * The number of attempts before an event becomes a dead letter. The delays between them double from a second to an hour.
   *
   * @default 16 (four to five hours)
   */
  readonly attempts?: number | undefined
}

/** A queue of BullMQ. */
export interface BullmqQueue extends EventQueue, DeadLetters {}

/**
 * Adapts a `Queue` of BullMQ to the option `queue` of `createReceiver`. `bullmqWorker` processes its events, in this process or, better,
 * in others.
 *
 * An event that is waiting, running or delayed between attempts is not queued twice. The event of a dead letter is queued again when the
 * service sends it again; the dead letter remains, and is a duplicate when you replay it.
 *
 * Redis must not lose confirmed writes: set `appendonly yes`, `appendfsync always` and `maxmemory-policy noeviction`. With
 * `enableOfflineQueue: false`, deliveries are answered 503 at once if Redis is unreachable, instead of at the deadline.
 *
 * @param queue  close it yourself. One queue serves all integrations of a receiver of many; use a separate queue for each receiver of one
 * @throws OptionError for invalid options
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
  refuseCount('attempts', attempts, DEFAULT_ATTEMPTS)
  if (typeof queue?.add !== 'function') {
    throw new OptionError(
      'queue',
      "queue must be a Queue of BullMQ, such as new Queue('notewire-events', { connection }).",
    )
  }

  const jobOptions = {
    attempts,
    // The worker computes the delay, with `retryDelayMs`.
    backoff: { type: 'notewire' },
    // The store records which events were processed.
    removeOnComplete: true,
    removeOnFail: { age: DEAD_LETTER_SECONDS },
    stackTraceLimit: 0,
  }

  return {
    enqueue: async (integration, event) => {
      const queued: QueuedEvent = { integration, event }
      // Not a `jobId`: BullMQ silently ignores the id of a dead letter. It ends a deduplication when the job completes or fails for good.
      const deduplication = { id: eventKey(integration, event.event_id) }
      await queue.add(event.event_type, queued, { ...jobOptions, deduplication })
    },
    listDeadLetters: async (limit = 100) => {
      const jobs = await queue.getJobs(['failed'], 0, limit, true)
      return jobs.slice(0, limit).map(deadLetterOf)
    },
    replayDeadLetters: async (letters) => {
      const replayed = await Promise.all(letters.map(async ({ id }) => await retryDeadLetter(await queue.getJob(id))))
      return replayed.filter(Boolean).length
    },
  }
}

/** Queues a job without remaining attempts again, with all its attempts. */
async function retryDeadLetter(job: BullmqJob | undefined): Promise<boolean> {
  if (job === undefined || !(await job.isFailed())) return false
  try {
    await job.retry('failed', { resetAttemptsMade: true })
    return true
  } catch (error) {
    // Another call has replayed it.
    if (await job.isFailed()) throw error
    return false
  }
}

function deadLetterOf({ id = '', data, failedReason, finishedOn = 0 }: BullmqJob): DeadLetter {
  return { ...(data as QueuedEvent), id, reason: failedReason, failedAt: new Date(finishedOn) }
}
