import { type PostgresConnection, postgresStore } from '@notewire/webhooks/postgres'
import { openPool } from '../../servers/test-databases.ts'
import type { WorkerDatabase } from './worker-database.ts'

/** Opens a pool for the store and the handlers. */
export function openPostgres(url: string): WorkerDatabase<PostgresConnection> {
  const pool = openPool(url, { max: 5 })
  return {
    store: postgresStore(pool),
    async writeInTransaction({ integration, eventId, run }, commit, onEnd) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        await client.query('INSERT INTO effects (integration, event_id, run) VALUES ($1, $2, $3)', [
          integration,
          eventId,
          run,
        ])
        await commit(client)
        onEnd()
        await client.query('COMMIT')
        client.release()
      } catch (error) {
        // Closing the connection ends the transaction.
        client.release(true)
        throw error
      }
    },
    close: () => pool.end(),
  }
}
