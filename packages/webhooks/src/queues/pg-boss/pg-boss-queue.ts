import { NotewireError, refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import type { DeadLetter, DeadLetters, EventQueue, QueuedEvent } from '../../interfaces/queue.ts'
import { eventKey } from '../event-key.ts'
import { DEFAULT_ATTEMPTS, refuseCount } from '../retries.ts'
import type { BossJob } from './boss.ts'
import { createQueues, type PgBossPlace, resolvePlace } from './place.ts'

/** The options of `pgBossQueue`. */
export interface PgBossQueueOptions extends PgBossPlace {
  /**
   * The number of attempts before an event becomes a dead letter. The delays between them double from a second to an hour.
   *
   * @default 16 (four to five hours)
   */
  readonly attempts?: number | undefined
}

/** A queue of pg-boss. */
export interface PgBossQueue extends EventQueue, DeadLetters {}

/**
 * Creates a queue on PostgreSQL, with pg-boss, for the option `queue` of `createReceiver`. `pgBossWorker` processes its events, in this
 * process or, better, in others.
 *
 * An event that is waiting, running or delayed between attempts is not queued twice. The event of a dead letter is queued again when the
 * service sends it again; the dead letter remains, and is a duplicate when you replay it.
 *
 * PostgreSQL cannot store NUL or half of a surrogate pair: in the fields that may contain them, the worker gets U+FFFD instead.
 *
 * @throws OptionError for invalid options
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
  refuseCount('attempts', attempts, DEFAULT_ATTEMPTS)
  const place = resolvePlace(options)
  const { boss, name, deadLetters } = place
  let creation: Promise<void> | undefined

  function created(): Promise<void> {
    creation ??= createQueues(place, attempts).catch((error: unknown) => {
      // PostgreSQL may be reachable the next time.
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
      // pg-boss returns `null` if the event is already queued, and also if the queue was deleted.
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

// In the output of `JSON.stringify`: an escaped backslash, or a character that `jsonb` rejects.
const BACKSLASH_OR_UNSTORABLE = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g

/**
 * The event with U+FFFD in place of NUL and lone surrogates, which `jsonb` cannot store. Otherwise PostgreSQL would refuse the
 * event each time that the service sends it, and the failures would disable the endpoint. Identifiers contain neither.
 */
function storableEvent(event: WebhookEvent): WebhookEvent {
  const json = JSON.stringify(event)
  const storable = json.replace(BACKSLASH_OR_UNSTORABLE, (found) => (found === '\\\\' ? found : '\ufffd'))
  return storable === json ? event : JSON.parse(storable)
}

function deadLetterOf({ id, data, createdOn, sourceOutput }: BossJob): DeadLetter {
  return { ...(data as QueuedEvent), id, reason: reasonIn(sourceOutput), failedAt: createdOn }
}

// The error that a worker threw, or the reason that pg-boss wrote for a worker that died.
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
