import {
  type D1Database,
  DurableObject,
  type DurableObjectNamespace,
  type DurableObjectStorage,
} from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { NotesClient } from '@notewire/client'
import { createMirrors } from '@notewire/mirror'
import { durableObjectSqlite, sqliteMirror } from '@notewire/mirror/sqlite'
import type { WebhookEvent } from '@notewire/webhooks'

export interface Env {
  readonly ACCOUNTS: DurableObjectNamespace<Account>
  readonly REGISTRY: D1Database
  readonly NOTES_BASE_URL: string
}

export interface Shown {
  readonly state: string
  readonly events: string | undefined
  readonly notes: readonly { readonly title: string | null }[]
}

function openCopy(storage: DurableObjectStorage, baseUrl: string) {
  const mirrors = createMirrors({
    store: sqliteMirror(durableObjectSqlite(storage)),
    connect: async () => ({ baseUrl, apiKey: (await storage.get<string>('apiKey')) ?? '' }),
    hooks: { onProblem: console.error, onParked: console.error },
  })
  // The Worker has verified what this receiver processes.
  return { mirrors, receiver: mirrors.receiver({ secret: (_id) => '' }) }
}

/** The account of one customer: its key and its notes are in the SQLite of one object, which wakes by alarm to keep them up to date. */
export class Account extends DurableObject<Env> {
  #copy = openCopy(this.ctx.storage, this.env.NOTES_BASE_URL)

  /** Connects the account. If the service refuses the key, nothing is left of it. */
  async connect(id: string, apiKey: string, endpoint: string): Promise<boolean> {
    const { REGISTRY } = this.env
    if (await this.ctx.storage.get('apiKey')) return true
    try {
      // The registry refuses a key that another customer has connected.
      const digest = createHash('sha256').update(apiKey).digest('base64url')
      await REGISTRY.prepare('INSERT INTO accounts (id, key_digest) VALUES (?, ?)').bind(id, digest).run()
      await this.ctx.storage.put('apiKey', apiKey)
      const save = REGISTRY.prepare('UPDATE accounts SET signing_secret = ? WHERE id = ?')
      await this.#copy.mirrors.add(id, { endpoint, saveSecret: (secret) => save.bind(secret, id).run() })
      await this.#wakeAt(Date.now())
      return true
    } catch (error) {
      console.error(id, 'could not connect:', error)
      await this.disconnect(id)
      return false
    }
  }

  /** Disconnects the account, and erases everything. Work that is under way cannot write any more. */
  async disconnect(id: string): Promise<void> {
    const { storage } = this.ctx
    const apiKey = await storage.get<string>('apiKey')
    const endpointId = apiKey && (await this.#copy.mirrors.get(id))?.endpoint?.id
    if (endpointId) {
      const client = new NotesClient({ baseUrl: this.env.NOTES_BASE_URL, apiKey, maxRetries: 0 })
      // If the service refuses the key by now, it will disable the endpoint after failed deliveries.
      await client.webhookEndpoints.delete(endpointId).catch(console.error)
    }
    await this.env.REGISTRY.prepare('DELETE FROM accounts WHERE id = ?').bind(id).run()
    await storage.deleteAlarm()
    await storage.deleteAll()
    this.#copy = openCopy(storage, this.env.NOTES_BASE_URL)
  }

  /** Writes an event down. An alarm reads its note: work after the answer would be cut off. */
  async hear(event: WebhookEvent, integration: string): Promise<void> {
    if (!(await this.ctx.storage.get('apiKey'))) return
    const { status } = await this.#copy.receiver.process(event, { integration })
    if (status !== 'applied') throw new Error(`The event was not written down: ${status}.`)
    await this.#wakeAt(Date.now())
  }

  /** What the page shows; `undefined` without an account. */
  async show(id: string): Promise<Shown | undefined> {
    const status = (await this.ctx.storage.get('apiKey')) && (await this.#copy.mirrors.get(id))
    if (!status) return undefined
    const latest = 'SELECT title FROM notewire_live_notes ORDER BY updated_at DESC LIMIT 50'
    const notes = this.ctx.storage.sql.exec(latest).toArray() as { readonly title: string | null }[]
    return { state: status.parkedBecause ?? 'connected', events: status.endpoint?.status, notes }
  }

  /** Does what is due. It never throws, because the platform gives an alarm up after six failures. */
  async alarm(): Promise<void> {
    try {
      if (!(await this.ctx.storage.get('apiKey'))) return
      const { nextAt } = await this.#copy.mirrors.work({ budgetMs: 20_000 })
      await this.#wakeAt(nextAt ?? Number.POSITIVE_INFINITY)
    } catch (error) {
      console.error('the work will be tried again:', error)
      await this.#wakeAt(Date.now() + 60_000)
    }
  }

  /** An object has one alarm: the earliest wins. */
  async #wakeAt(at: number): Promise<void> {
    const { storage } = this.ctx
    const isDisconnected = (await storage.get('apiKey')) === undefined
    if (!isDisconnected && at < ((await storage.getAlarm()) ?? Number.POSITIVE_INFINITY)) await storage.setAlarm(at)
  }
}
