import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import { type DurableObjectSqlStorage, durableObjectSqlite, sqliteMirror } from '@notewire/mirror/sqlite'
import type { Receiver } from '@notewire/webhooks'

/** How long one alarm may work: Cloudflare ends it after 15 minutes. The next goes on where it stopped. */
const MOST_MS = 10 * 60_000
const AFTER_A_FAILURE_MS = 60_000
const LIST = 'SELECT note_id, title, updated_at FROM notewire_live_notes WHERE note_id > ? ORDER BY note_id LIMIT 100'

/** A Durable Object that holds all notes in its SQLite, and wakes by alarm to keep them up to date. */
export class NotesMirror {
  readonly #storage: ObjectState['storage']
  readonly #mirror: Mirror
  readonly #receiver: Receiver
  readonly #mostRequests: number
  #onRequest: () => void = () => {}

  constructor(state: ObjectState, bindings: Bindings) {
    this.#storage = state.storage
    this.#mostRequests = Number(bindings.REQUESTS_PER_ALARM)
    const client = new NotesClient({
      baseUrl: bindings.NOTES_BASE_URL,
      apiKey: bindings.NOTES_API_KEY,
      hooks: { onRequest: () => this.#onRequest() },
    })
    const store = sqliteMirror(durableObjectSqlite(state.storage))
    this.#mirror = createMirror({
      client,
      store,
      pollEveryMs: Number(bindings.POLL_EVERY_SECONDS) * 1000,
      scanEveryMs: Number(bindings.SCAN_EVERY_SECONDS) * 1000,
      // A Worker has six connections, and a note takes up to two.
      concurrency: 3,
    })
    this.#receiver = this.#mirror.receiver({ secret: bindings.NOTES_SIGNING_SECRET, path: '/webhooks/notes' })
    void state.blockConcurrencyWhile(() => store.migrate())
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, what, noteId] = pathname.split('/')
    switch (what) {
      case 'webhooks':
        return await this.#receive(request)
      case 'notes':
        if (noteId !== undefined) return await this.#show(decodeURIComponent(noteId))
        return Response.json(this.#storage.sql.exec(LIST, searchParams.get('after') ?? '').toArray())
      case 'search':
        return Response.json(await this.#mirror.search(searchParams.get('words') ?? ''))
      case 'status':
        return Response.json(await this.#mirror.status())
      case 'wake':
        await this.#wakeAt(Date.now())
        return new Response(null, { status: 204 })
    }
    return new Response(null, { status: 404 })
  }

  /** Does what is due, and sees to it that there is a next alarm, whatever happens: one that throws is given up after six retries. */
  async alarm(): Promise<void> {
    const enough = new AbortController()
    let requests = 0
    this.#onRequest = () => ++requests > this.#mostRequests && enough.abort()
    const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(MOST_MS)])
    try {
      const { nextAt } = await this.#mirror.work({ signal })
      await this.#wakeAt(nextAt)
    } catch (error) {
      if (!signal.aborted) console.error('the mirror will try again:', error)
      await this.#wakeAt(Date.now() + (signal.aborted ? 0 : AFTER_A_FAILURE_MS))
    }
  }

  /** The object has one alarm: the earliest wins. */
  async #wakeAt(at: number): Promise<void> {
    const known = await this.#storage.getAlarm()
    if (known === null || at < known) await this.#storage.setAlarm(at)
  }

  /** The answer leaves once hint and alarm are on disk. */
  async #receive(request: Request): Promise<Response> {
    const response = await this.#receiver.fetch(request)
    if (response.ok) await this.#wakeAt(Date.now())
    return response
  }

  async #show(noteId: string): Promise<Response> {
    const found = await this.#mirror.get(noteId)
    return found === undefined ? new Response(null, { status: 404 }) : Response.json(found)
  }
}

/** What `wrangler.json` and `wrangler secret put` give to the Worker and to its object. */
export interface Bindings {
  readonly MIRROR: { getByName(name: string): { fetch(request: Request): Promise<Response> } }
  readonly NOTES_BASE_URL: string
  readonly NOTES_API_KEY: string
  /** Not there before the endpoint is registered: deliveries are answered 503 until then, and come again. */
  readonly NOTES_SIGNING_SECRET?: string
  /** Whoever has it may read. */
  readonly READ_TOKEN: string
  readonly POLL_EVERY_SECONDS: string
  readonly SCAN_EVERY_SECONDS: string
  /** What the plan allows to one invocation, less a few: 50 for free, 1,000 or more when paid. */
  readonly REQUESTS_PER_ALARM: string
}

/** What is used of the state of a Durable Object. In a project of your own, `npx wrangler types` writes all of it. */
interface ObjectState {
  readonly storage: DurableObjectSqlStorage & {
    getAlarm(): Promise<number | null>
    setAlarm(at: number): Promise<void>
  }
  blockConcurrencyWhile(work: () => Promise<void>): Promise<void>
}
