import { postgresStore } from '@notewire/webhooks/postgres'
import { startPostgres } from '../../servers/index.ts'
import { openPool } from '../../servers/test-databases.ts'
import type { Effect } from '../databases/worker-database.ts'
import type { StoreServer } from './store-server.ts'

/** Starts PostgreSQL with the durability of production: a commit waits for the disk. */
export async function makePostgres(engine: 'postgres' | 'postgres-transactions' = 'postgres'): Promise<StoreServer> {
  const server = await startPostgres({ durable: true })
  const pool = openPool(server.url, { max: 1 })
  await postgresStore(pool).migrate()
  await pool.query('CREATE TABLE effects (position bigserial PRIMARY KEY, integration text, event_id text, run text)')
  return {
    engine,
    location: server.url,
    readEffects: async () =>
      (await pool.query<Effect>('SELECT integration, event_id AS "eventId", run FROM effects ORDER BY position')).rows,
    crashAndRestart: server.crashAndRestart,
    async stop() {
      await pool.end()
      await server.stop()
    },
  }
}
