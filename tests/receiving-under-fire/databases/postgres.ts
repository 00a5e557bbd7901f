import { type PostgresConnection, postgresStore, postgresTransactions } from '@notewire/webhooks/postgres'
import { openPool } from '../../servers/test-databases.ts'
import type { Effect, WorkerDatabase } from './worker-database.ts'

/**
 * Opens a pool for the store and the handlers.
 *
 * @param opensTransactions  whether the receiver opens the transactions
 */
export function openPostgres(url: string, opensTransactions: boolean): WorkerDatabase<PostgresConnection> {
  const pool = openPool(url, { max: 5 })
  return {
    store: postgresStore(pool),
    transactions: opensTransactions ? { store: postgresTransactions(pool), write } : undefined,
    close: () => pool.end(),
  }
}

function write(connection: PostgresConnection, { integration, eventId, run }: Effect): Promise<unknown> {
  return connection.query('INSERT INTO effects (integration, event_id, run) VALUES ($1, $2, $3)', [
    integration,
    eventId,
    run,
  ])
}
