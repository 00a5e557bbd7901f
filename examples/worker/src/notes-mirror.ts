import { DurableObject, type DurableObjectNamespace, type Queue } from 'cloudflare:workers'
import { NotesClient } from '@notewire/client'
import { createMirror, type MirroredNote, type MirrorStatus } from '@notewire/mirror'
import { durableObjectSqlite, sqliteMirror } from '@notewire/mirror/sqlite'
import type { WebhookEvent } from '@notewire/protocol'

/** The time limit of one alarm. Cloudflare ends an alarm after 15 minutes. The next alarm continues. */
const LONGEST_ALARM_MS = 10 * 60_000
const AFTER_A_FAILURE_MS = 60_000

/** The bindings and variables of the Worker, from `wrangler.json` and `wrangler secret put`. */
export interface Env {
  readonly MIRROR: DurableObjectNamespace<NotesMirror>
  /** Gets a message for every change of a note. */
  readonly CHANGES: Queue
  readonly NOTES_BASE_URL: string
  readonly NOTES_API_KEY: string
  /** Until it is set, the Worker answers deliveries with 503, and the service retries them. */
  readonly NOTES_SIGNING_SECRET?: string
  readonly READ_TOKEN: string
  readonly POLL_EVERY_SECONDS: string
  readonly FULL_LISTING_EVERY_SECONDS: string
  /** A few requests less than one invocation may send: 50 on the free plan, 1,000 on the paid plan. */
  readonly REQUESTS_PER_ALARM: string
}

/** A Durable Object that keeps all notes in its SQLite. An alarm keeps them up to date. */
export class NotesMirror extends DurableObject<Env> {
  #onRequest = () => {}
  readonly #mirror = createMirror({
    client: new NotesClient({
      baseUrl: this.env.NOTES_BASE_URL,
      apiKey: this.env.NOTES_API_KEY,
      hooks: { onRequest: () => this.#onRequest() },
    }),
    store: sqliteMirror(durableObjectSqlite(this.ctx.storage)),
    pollEveryMs: Number(this.env.POLL_EVERY_SECONDS) * 1000,
    fullListingEveryMs: Number(this.env.FULL_LISTING_EVERY_SECONDS) * 1000,
    // A Worker has six connections, and a note takes up to two.
    concurrency: 3,
  })
  // The Worker has verified every event that this receiver processes, so it needs no secret.
  readonly #receiver = this.#mirror.receiver({ secret: () => undefined })

  /** Stores an event that the Worker has verified. */
  async hear(event: WebhookEvent): Promise<void> {
    const { status } = await this.#receiver.process(event)
    if (status !== 'applied') throw new Error(`The event was not stored: ${status}.`)
    await this.wakeAt(Date.now())
  }

  /** A page of notes, without their content. */
  async list(after: string): Promise<readonly object[]> {
    const page: object[] = []
    for await (const { note } of this.#mirror.list({ after })) {
      const { note_id, title, updated_at } = note
      if (page.push({ note_id, title, updated_at }) === 100) break
    }
    return page
  }

  async get(noteId: string): Promise<MirroredNote | undefined> {
    return await this.#mirror.get(noteId)
  }

  async search(words: string): Promise<readonly MirroredNote[]> {
    return await this.#mirror.search(words)
  }

  async status(): Promise<MirrorStatus> {
    return await this.#mirror.status()
  }

  /** Does the due work. It never throws, because the platform retries a failed alarm at most six times. */
  async alarm(): Promise<void> {
    const enough = new AbortController()
    let requests = 0
    this.#onRequest = () => ++requests > Number(this.env.REQUESTS_PER_ALARM) && enough.abort()
    const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(LONGEST_ALARM_MS)])
    try {
      const { nextAt } = await this.#mirror.work({ signal })
      await this.wakeAt(Math.min(nextAt, await this.#tell()))
    } catch (error) {
      if (!signal.aborted) console.error('the mirror will retry:', error)
      await this.wakeAt(Date.now() + (signal.aborted ? 0 : AFTER_A_FAILURE_MS))
    }
  }

  /** The object has only one alarm: it keeps the earliest time. */
  async wakeAt(at: number): Promise<void> {
    const known = await this.ctx.storage.getAlarm()
    if (known === null || at < known) await this.ctx.storage.setAlarm(at)
  }

  /** Sends changes to the queue. The mirror stores which changes were sent, and calls `apply` again for those that failed. */
  async #tell(): Promise<number> {
    const { nextAt } = await this.#mirror.consumeDue({
      name: 'queue',
      apply: async (changes) => {
        await this.env.CHANGES.sendBatch(changes.map(({ kind, noteId }) => ({ body: { kind, noteId } })))
      },
    })
    return nextAt ?? Number.POSITIVE_INFINITY
  }
}
