import type { Pool } from 'pg'

/** A journal of deletions: a deletion that is told twice would be written twice. */
export async function createTables(pool: Pool): Promise<void> {
  await pool.query('CREATE TABLE IF NOT EXISTS deletions (note_id text NOT NULL, reason text)')
}
