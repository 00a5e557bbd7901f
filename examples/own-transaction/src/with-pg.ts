import { createReceiver, type Receiver } from '@notewire/webhooks'
import { postgresStore } from '@notewire/webhooks/postgres'
import type { Pool, PoolClient } from 'pg'

export function receiverWithPg(pool: Pool): Receiver {
  return createReceiver({
    secret: () => process.env['NOTES_SIGNING_SECRET'],
    store: postgresStore(pool),
    on: {
      'note.deleted': ({ data }, context) =>
        inTransaction(pool, async (client) => {
          await client.query('INSERT INTO deletions (note_id, reason) VALUES ($1, $2)', [
            data.note_id,
            data.reason ?? null,
          ])
          await context.commit(client)
        }),
    },
  })
}

async function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await work(client)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}
