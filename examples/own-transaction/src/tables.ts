import type { Pool } from 'pg'

/** Creates a journal of deletions. It has no unique key, so that an event that is processed twice would be written twice. */
export async function createTables(pool: Pool): Promise<void> {
  await pool.query('CREATE TABLE IF NOT EXISTS deletions (note_id text NOT NULL, reason text)')
}
