import type { Pool } from 'pg'

/** Creates two journals. An event that is processed twice, or a change that is applied twice, would be written twice. */
export async function createTables(pool: Pool): Promise<void> {
  await pool.query('CREATE TABLE IF NOT EXISTS deletions (id serial PRIMARY KEY, note_id text NOT NULL, reason text)')
  await pool.query(
    'CREATE TABLE IF NOT EXISTS outbox (id serial PRIMARY KEY, note_id text NOT NULL, kind text NOT NULL)',
  )
}
