import { NotesClient } from '@notewire/client'
import { createMirrors, type Mirrors } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import type { NoteEvent, WebhookEvent } from '@notewire/protocol'
import { createReceivers, type TransactionContext } from '@notewire/webhooks'
import { type PostgresConnection, postgresTransactions } from '@notewire/webhooks/postgres'
import { ManualClock } from '../../packages/mirror/fixtures/consuming/manual-clock.ts'
import { onClock } from '../../packages/mirror/fixtures/on-clock.ts'
import { SILENT } from '../../packages/mirror/fixtures/silent-logger.ts'
import { applyToTitles } from '../many-mirrors/titles-table.ts'
import { openPool } from '../servers/test-databases.ts'
import type { ApplicationSettings, GivenCommand } from './application-settings.ts'

const DAY_MS = 24 * 60 * 60_000
/** Most batches that a consumer gets after one piece of work. */
const MOST_BATCHES = 1_000

/** An application with mirrors of its customers' notes, and an effect of each event, as docs/mirror/many-integrations.md builds it. */
export async function openApplication({ mirrorUrl, applicationUrl, baseUrl, publicUrl }: ApplicationSettings) {
  const clock = new ManualClock()
  const mirrorPool = openPool(mirrorUrl, { max: 8 })
  const pool = openPool(applicationUrl, { max: 8 })
  const access = { baseUrl, timeoutMs: 30_000, maxRetries: 0 }

  const mirrors = createMirrors({
    store: onClock(postgresMirror(mirrorPool), clock),
    logger: SILENT,
    connect: async (id) => ({ ...access, apiKey: (await customerOf(id))?.api_key ?? '' }),
  })
  const hints = mirrors.receivers({ secretOf: () => '', logger: SILENT })

  const store = postgresTransactions(pool)
  await store.migrate()
  const addEffect = async (
    { event_id }: NoteEvent,
    { integration, transaction }: TransactionContext<PostgresConnection>,
  ) =>
    void (await transaction.query('INSERT INTO effects (integration, event_id) VALUES ($1, $2)', [
      integration,
      event_id,
    ]))
  const receivers = createReceivers({
    secretOf: async (id) => {
      const customer = await customerOf(id)
      return customer && [customer.signing_secret, customer.old_secret]
    },
    store,
    clock,
    logger: SILENT,
    // Each event has an effect, also an event that is older than another of its note.
    revisionGate: 'off',
    prepare: (event, { integration }) => giveHint(event, integration),
    on: {
      'note.ended': addEffect,
      'note.summary.generated': addEffect,
      'note.updated': addEffect,
      'note.deleted': addEffect,
    },
  })

  async function giveHint(event: WebhookEvent, integration: string): Promise<void> {
    const outcome = await hints.process(event, { integration })
    if (outcome.status !== 'applied')
      throw new Error(`the mirror did not store a hint: ${outcome.status}`, { cause: outcome })
  }

  async function customerOf(id: string): Promise<CustomerRow | undefined> {
    const { rows } = await pool.query<CustomerRow>('SELECT * FROM customers WHERE id = $1', [id])
    return rows[0]
  }

  /** Registers the endpoint of a customer, or repairs it. */
  async function add(id: string): Promise<void> {
    await mirrors.add(id, {
      endpoint: `${publicUrl}/webhooks/notes/${id}`,
      saveSecret: (secret, { generation }) => pool.query(SAVE_SECRET, [id, secret, generation]),
    })
    receivers.forgetSecret(id)
  }

  async function connect(id: string, apiKey: string): Promise<void> {
    for await (const _ of new NotesClient({ ...access, apiKey }).notes.listWithContent({ limit: 1 })) break
    await pool.query(SAVE_KEY, [id, apiKey])
    await add(id)
  }

  async function disconnect(id: string): Promise<void> {
    const endpoint = (await mirrors.get(id))?.endpoint?.id
    const apiKey = (await customerOf(id))?.api_key
    if (endpoint && apiKey)
      await new NotesClient({ ...access, apiKey }).webhookEndpoints.delete(endpoint).catch(() => undefined)
    await mirrors.remove(id)
    await pool.query('DELETE FROM customers WHERE id = $1', [id])
    receivers.forgetSecret(id)
  }

  async function replaceKey(id: string, apiKey: string): Promise<void> {
    await pool.query('UPDATE customers SET api_key = $2 WHERE id = $1', [id, apiKey])
    await mirrors.resume(id, { adoptKey: true })
    await add(id)
  }

  async function rotateSecret(id: string): Promise<void> {
    const apiKey = (await customerOf(id))?.api_key
    const endpoint = (await mirrors.get(id))?.endpoint?.id
    if (!endpoint || !apiKey) return
    const { signing_secret } = await new NotesClient({ ...access, apiKey }).webhookEndpoints.rotateSecret(endpoint)
    await pool.query(SAVE_BOTH_SECRETS, [id, signing_secret, clock.now()])
    receivers.forgetSecret(id)
  }

  /** What a person does once a day who reads `mirrors.list()` and the table of customers. */
  async function tend(): Promise<void> {
    await pool.query('UPDATE customers SET old_secret = NULL WHERE rotated_at < $1', [clock.now() - DAY_MS])
    const { rows } = await pool.query<CustomerRow>('SELECT * FROM customers ORDER BY id')
    const failures: unknown[] = []
    for (const { id } of rows) await tendOne(id).catch((error) => failures.push(error))
    for (const { integration, state } of await mirrors.list()) {
      if (state !== 'removing' && rows.every(({ id }) => id !== integration)) await mirrors.remove(integration)
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some customers could not be tended')
  }

  async function tendOne(id: string): Promise<void> {
    const status = await mirrors.get(id)
    if (status?.parkedBecause === 'key_changed') await mirrors.resume(id, { adoptKey: true })
    if (status?.state !== 'active' || status.endpoint?.status !== 'active') await add(id)
    for (const { fullListingId } of (await mirrors.of(id).status()).held)
      await mirrors.of(id).acceptRemovals(fullListingId)
  }

  async function correctAfterRestoring(): Promise<void> {
    await tend()
    const { rows } = await pool.query<CustomerRow>('SELECT * FROM customers')
    for (const { id } of rows) await mirrors.requestFullListing(id)
  }

  async function work(integration?: string): Promise<void> {
    // The clock stands still meanwhile, so the work ends when nothing is due.
    await mirrors.work({ budgetMs: DAY_MS, integration })
    const due = integration === undefined ? (await mirrors.list()).map((each) => each.integration) : [integration]
    for (const each of due) await consume(mirrors, each)
  }

  async function consume(of: Mirrors<PostgresConnection>, integration: string): Promise<void> {
    const consumer = { name: 'titles', apply: applyToTitles(mirrorPool, integration) }
    for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
      const { nextAt } = await of.of(integration).consumeDue(consumer)
      if (nextAt === null || nextAt > clock.now()) return
    }
  }

  async function carryOut(command: GivenCommand): Promise<void> {
    access.timeoutMs = command.timeoutMs
    switch (command.act) {
      case 'connect':
        return await connect(command.customer, command.apiKey)
      case 'disconnect':
        return await disconnect(command.customer)
      case 'replace key':
        return await replaceKey(command.customer, command.apiKey)
      case 'rotate secret':
        return await rotateSecret(command.customer)
      case 'work':
        return await work()
      case 'work on one':
        return await work(command.customer)
      case 'tend':
        return await tend()
      case 'correct after restoring':
        return await correctAfterRestoring()
      case 'nothing':
        return
    }
  }

  return {
    receivers,
    carryOut,
    /** Sets the clock, which never goes back. */
    setTime: (now: number) => clock.advance(Math.max(0, now - clock.now())),
  }
}

interface CustomerRow {
  readonly id: string
  readonly api_key: string
  readonly signing_secret: string | null
  readonly old_secret: string | null
}

const SAVE_KEY =
  'INSERT INTO customers (id, api_key) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET api_key = excluded.api_key'

const SAVE_SECRET =
  'UPDATE customers SET signing_secret = $2, secret_generation = $3 WHERE id = $1 AND secret_generation < $3'

const SAVE_BOTH_SECRETS =
  'UPDATE customers SET old_secret = signing_secret, signing_secret = $2, rotated_at = $3 WHERE id = $1'
