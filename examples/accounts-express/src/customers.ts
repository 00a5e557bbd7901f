import { NotesClient } from '@notewire/client'
import { createMirrors } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { Pool } from 'pg'

const { DATABASE_URL, NOTES_BASE_URL: baseUrl = '', PUBLIC_URL } = process.env
if (!DATABASE_URL || !baseUrl || !PUBLIC_URL) throw new Error('Set DATABASE_URL, NOTES_BASE_URL and PUBLIC_URL.')

export const pool = new Pool({ connectionString: DATABASE_URL })
pool.on('error', ({ message }) => console.error('an idle connection broke:', message))
// Encrypt keys and secrets as you encrypt your other secrets.
await pool.query(`CREATE TABLE IF NOT EXISTS customers
  (id text PRIMARY KEY, api_key text, signing_secret text, secret_generation bigint NOT NULL DEFAULT 0)`)

export const mirrors = createMirrors({
  store: postgresMirror(pool),
  connect: async (id) => ({ baseUrl, apiKey: (await read('api_key', id)) ?? '' }),
  hooks: {
    onProblem: ({ integration, error }) => console.error(integration, 'will be retried:', error),
    onParked: ({ integration, because }) => console.error(integration, 'is parked:', because),
  },
})

export const receivers = mirrors.receivers({
  // No row: the receiver answers 404. A row without a secret: it answers 503, and the service retries.
  secretOf: (id) => read("coalesce(signing_secret, '')", id),
})

/** Stores a signing secret, unless a newer one is stored: a late call must not overwrite it. */
const SAVE_SECRET =
  'UPDATE customers SET signing_secret = $1, secret_generation = $2 WHERE id = $3 AND secret_generation < $2'

/** Connects the account of a customer. If the service rejects the key, the application does not keep it. */
export async function connect(id: string, apiKey: string): Promise<void> {
  if (await mirrors.get(id)) return
  const upsert = 'INSERT INTO customers VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET api_key = excluded.api_key'
  await pool.query(upsert, [id, apiKey])
  try {
    await mirrors.add(id, {
      endpoint: `${PUBLIC_URL}/webhooks/notes/${id}`,
      saveSecret: (secret, { generation }) => pool.query(SAVE_SECRET, [secret, generation, id]),
    })
  } catch (error) {
    await disconnect(id)
    throw error
  }
}

/** Disconnects the account. Its notes become unreadable immediately, and `mirrors.run` erases them. */
export async function disconnect(id: string): Promise<void> {
  const endpointId = (await mirrors.get(id))?.endpoint?.id
  if (endpointId) {
    const { webhookEndpoints } = new NotesClient({ baseUrl, apiKey: (await read('api_key', id)) ?? '', maxRetries: 0 })
    // If the service rejects the key, it disables the endpoint later, after failed deliveries.
    await webhookEndpoints.delete(endpointId).catch(({ code }) => console.error(id, 'still has an endpoint:', code))
  }
  await mirrors.remove(id)
  await pool.query('DELETE FROM customers WHERE id = $1', [id])
}

/** What the page shows. */
export async function accountOf(id: string) {
  const status = await mirrors.get(id)
  if (status === undefined) return { state: 'disconnected' }
  const latest = 'SELECT title FROM notewire_live_notes WHERE integration = $1 ORDER BY updated_at DESC LIMIT 50'
  const { rows: notes } = await pool.query(latest, [id])
  return { state: status.parkedBecause ?? 'connected', events: status.endpoint?.status, notes }
}

async function read(column: string, id: string): Promise<string | undefined> {
  return (await pool.query(`SELECT ${column} AS value FROM customers WHERE id = $1`, [id])).rows[0]?.value
}
