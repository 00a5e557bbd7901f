import { NotewireError, refuseUnknownOptions } from '@notewire/protocol'
import type { DeadLetter, DeadLetters, EventQueue, QueuedEvent } from '../../interfaces/queue.ts'
import { eventKey } from '../event-key.ts'
import { DEFAULT_ATTEMPTS, refuseAttempts } from '../retries.ts'
import type { BossJob } from './boss.ts'
import { createQueues, type PgBossPlace, resolvePlace } from './place.ts'
import { storableEvent } from './storable-event.ts'

/** What `pgBossQueue` takes. */
export interface PgBossQueueOptions extends PgBossPlace {
  /**
   * How often an event is tried before it becomes a dead letter. The pauses double from a second to an hour.
   *
   * @default 16 (four to five hours)
   */
  readonly attempts?: number | undefined
}

/** A queue of pg-boss. */
export interface PgBossQueue extends EventQueue, DeadLetters {}

/**
 * Makes a queue on PostgreSQL, by pg-boss, for the option `queue` of `createReceiver`. What it holds is processed by
 * `pgBossWorker`, in this process or, better, in others.
 *
 * An event that waits, runs or pauses between attempts is not queued twice. One that has failed for good is queued again
 * when the service sends it again; its dead letter stays, and finds a duplicate when it is replayed.
 *
 * PostgreSQL holds neither NUL nor half of a surrogate pair: in fields that may hold them, a worker finds U+FFFD instead.
 *
 * @throws OptionError for options that cannot work
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { pgBossQueue } from '@notewire/webhooks/pg-boss'
 * import { PgBoss } from 'pg-boss'
 *
 * const boss = new PgBoss('postgres://127.0.0.1/app')
 * boss.on('error', console.error)
 * await boss.start()
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   queue: pgBossQueue({ boss }),
 *   on: { 'note.ended': async ({ data }) => console.log('fetch the transcript of', data.note_id) },
 * })
 * ```
 */
export function pgBossQueue(options: PgBossQueueOptions): PgBossQueue {
  refuseUnknownOptions('pgBossQueue', options, ['boss', 'name', 'attempts'])
  const { attempts = DEFAULT_ATTEMPTS } = options
  refuseAttempts(attempts)
  const place = resolvePlace(options)
  const { boss, name, deadLetters } = place
  let creation: Promise<void> | undefined

  function created(): Promise<void> {
    creation ??= createQueues(place, attempts).catch((error: unknown) => {
      // PostgreSQL may be there next time.
      creation = undefined
      throw error
    })
    return creation
  }

  return {
    enqueue: async (integration, event) => {
      await created()
      const job = { integration, event: storableEvent(event) }
      const id = await boss.send(name, job, { singletonKey: eventKey(integration, event.event_id) })
      // pg-boss returns `null` also if the queue was deleted.
      if (id === null && (await boss.getQueue(name)) === null) throw new QueueMissingError(name)
    },
    listDeadLetters: async (limit = 100) => {
      await created()
      const jobs = await boss.findJobs(deadLetters, { queued: true })
      const oldestFirst = jobs.toSorted((one, other) => one.createdOn.getTime() - other.createdOn.getTime())
      return oldestFirst.slice(0, limit).map(deadLetterOf)
    },
    replayDeadLetters: async (letters) => {
      await created()
      const ids = letters.map(({ id }) => id)
      return ids.length === 0 ? 0 : await boss.redrive(deadLetters, { ids, limit: ids.length })
    },
  }
}

function deadLetterOf({ id, data, createdOn, sourceOutput }: BossJob): DeadLetter {
  return { ...(data as QueuedEvent), id, reason: reasonIn(sourceOutput), failedAt: createdOn }
}

// What a worker threw, or what pg-boss found out about a worker that died.
function reasonIn(output: { readonly message?: unknown; readonly value?: unknown } | null): string {
  const { value, message = value } = output ?? {}
  return typeof message === 'object' ? reasonIn(message) : String(message)
}

/** The queue was deleted while receivers used it. */
class QueueMissingError extends NotewireError<'queue_missing'> {
  constructor(name: string) {
    super('queue_missing', `the queue "${name}" was deleted. Restart the receiver, which creates the queue again.`)
  }
}
