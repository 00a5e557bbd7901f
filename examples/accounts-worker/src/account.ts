import { type D1Database, DurableObject, type DurableObjectNamespace } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { NotesClient } from '@notewire/client'
import { createMirrors, type SaveSecret } from '@notewire/mirror'
import { durableObjectSqlite, sqliteMirror } from '@notewire/mirror/sqlite'
import type { WebhookEvent } from '@notewire/protocol'

export interface Env {
  readonly ACCOUNTS: DurableObjectNamespace<Account>
  readonly REGISTRY: D1Database
  readonly NOTES_BASE_URL: string
}

/** The account of one customer: the key, and the notes in the SQLite of the object. An alarm keeps the notes up to date. */
export class Account extends DurableObject<Env> {
  readonly #storage = this.ctx.storage
  readonly #apiKey = () => this.#storage.get<string>('apiKey')
  #copy = this.#open()

  /** Connects the account. If the service rejects the key, the object does not keep it. */
  async add(id: string, apiKey: string, endpoint: string): Promise<boolean> {
    if (await this.#apiKey()) return true
    await this.#storage.put('apiKey', apiKey)
    try {
      // The registry rejects a key that another customer has connected.
      const digest = createHash('sha256').update(apiKey).digest('base64url')
      await this.env.REGISTRY.prepare('INSERT INTO accounts (id, key_digest) VALUES (?, ?)').bind(id, digest).run()
      // A late call must not overwrite a newer secret.
      const save = this.env.REGISTRY.prepare(
        'UPDATE accounts SET signing_secret = ?1, secret_generation = ?2 WHERE id = ?3 AND secret_generation < ?2',
      )
      const saveSecret: SaveSecret = async (secret, { generation }) =>
        void (await save.bind(secret, generation, id).run())
      await this.#copy.mirrors.add(id, { endpoint, saveSecret })
      await this.#wakeAt(Date.now())
      return true
    } catch (error) {
      console.error(id, 'could not connect:', error)
      await this.remove(id)
      return false
    }
  }

  /** Disconnects the account, and erases the storage. Work in progress cannot write any more. */
  async remove(id: string): Promise<void> {
    const apiKey = await this.#apiKey()
    const endpointId = apiKey && (await this.#copy.mirrors.get(id))?.endpoint?.id
    if (endpointId) {
      const client = new NotesClient({ baseUrl: this.env.NOTES_BASE_URL, apiKey, maxRetries: 0 })
      // If the service rejects the key, it disables the endpoint later, after failed deliveries.
      await client.webhookEndpoints.delete(endpointId).catch(console.error)
    }
    await this.env.REGISTRY.prepare('DELETE FROM accounts WHERE id = ?').bind(id).run()
    await this.#storage.deleteAlarm()
    await this.#storage.deleteAll()
    this.#copy = this.#open()
  }

  /** Stores an event. An alarm reads the note later, because the platform ends work that continues after the answer. */
  async hear(event: WebhookEvent, integration: string): Promise<void> {
    if (!(await this.#apiKey())) return
    const { status } = await this.#copy.receivers.process(event, { integration })
    if (status !== 'applied') throw new Error(`The event was not stored: ${status}.`)
    await this.#wakeAt(Date.now())
  }

  /** What the page shows; `undefined` without an account. */
  async show(id: string) {
    const status = (await this.#apiKey()) && (await this.#copy.mirrors.get(id))
    if (!status) return undefined
    const latest = 'SELECT title FROM notewire_live_notes ORDER BY updated_at DESC LIMIT 50'
    const notes = this.#storage.sql.exec(latest).toArray() as { readonly title: string | null }[]
    return { state: status.parkedBecause ?? 'connected', events: status.endpoint?.status, notes }
  }

  /** Does the due work. It never throws, because the platform retries a failed alarm at most six times. */
  async alarm(): Promise<void> {
    if (!(await this.#apiKey())) return
    const { nextAt } = await this.#copy.mirrors.work({ budgetMs: 20_000 }).catch((error) => {
      console.error('the work will be retried:', error)
      return { nextAt: Date.now() + 60_000 }
    })
    if (nextAt !== null) await this.#wakeAt(nextAt)
  }

  // An object has only one alarm: it keeps the earliest time.
  async #wakeAt(at: number): Promise<void> {
    const known = await this.#storage.getAlarm()
    if (known === null || at < known) await this.#storage.setAlarm(at)
  }

  #open() {
    const mirrors = createMirrors({
      store: sqliteMirror(durableObjectSqlite(this.#storage)),
      connect: async () => ({ baseUrl: this.env.NOTES_BASE_URL, apiKey: (await this.#apiKey()) ?? '' }),
      hooks: { onProblem: console.error, onParked: console.error },
    })
    // It processes events that the Worker has verified.
    return { mirrors, receivers: mirrors.receivers({ secretOf: () => '' }) }
  }
}
