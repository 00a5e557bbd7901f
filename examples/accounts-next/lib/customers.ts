import { NotesClient } from '@notewire/client'
import { createMirrors } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { Pool } from 'pg'

const { DATABASE_URL, NOTES_BASE_URL: baseUrl = '', PUBLIC_URL } = process.env
const pool = new Pool({ connectionString: DATABASE_URL })
pool.on('error', console.error)

export const mirrors = createMirrors({
  store: postgresMirror(pool),
  connect: async (id) => ({ baseUrl, apiKey: (await read('api_key', id)) ?? '' }),
  hooks: { onProblem: console.error, onParked: console.error },
})

// Without a row, the receiver answers 404. With a row without a secret, it answers 503, and the service retries.
export const receivers = mirrors.receivers({ secretOf: (id) => read("coalesce(signing_secret, '')", id) })

/** Stores a signing secret, unless a newer one is stored: a late call must not overwrite it. */
const SAVE_SECRET =
  'UPDATE customers SET signing_secret = $1, secret_generation = $2 WHERE id = $3 AND secret_generation < $2'

/** Connects the account of a customer. If the service rejects the key, everything is removed again. */
export async function connect(id: string, apiKey: string): Promise<boolean> {
  if (await mirrors.get(id)) return true
  const upsert = 'INSERT INTO customers VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET api_key = excluded.api_key'
  await pool.query(upsert, [id, apiKey])
  try {
    await mirrors.add(id, {
      endpoint: `${PUBLIC_URL}/webhooks/notes/${id}`,
      saveSecret: (secret, { generation }) => pool.query(SAVE_SECRET, [secret, generation, id]),
    })
    return true
  } catch (error) {
    console.error(id, 'could not connect:', error)
    await disconnect(id)
    return false
  }
}

/** Disconnects the account. Its notes can no longer be read, and `mirrors.work` erases them. */
export async function disconnect(id: string): Promise<void> {
  const endpointId = (await mirrors.get(id))?.endpoint?.id
  if (endpointId) {
    const { webhookEndpoints } = new NotesClient({ baseUrl, apiKey: (await read('api_key', id)) ?? '', maxRetries: 0 })
    // If the service now rejects the key, it will disable the endpoint after failed deliveries.
    await webhookEndpoints.delete(endpointId).catch(console.error)
  }
  await mirrors.remove(id)
  await pool.query('DELETE FROM customers WHERE id = $1', [id])
}

export async function accountOf(id: string) {
  const status = await mirrors.get(id)
  if (status === undefined) return { state: 'disconnected' }
  const latest =
    'SELECT note_id, title FROM notewire_live_notes WHERE integration = $1 ORDER BY updated_at DESC LIMIT 50'
  const { rows: notes } = await pool.query(latest, [id])
  return { state: status.parkedBecause ?? 'connected', events: status.endpoint?.status, notes }
}

async function read(column: string, id: string): Promise<string | undefined> {
  return (await pool.query(`SELECT ${column} AS value FROM customers WHERE id = $1`, [id])).rows[0]?.value
}
