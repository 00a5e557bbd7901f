import type { ApplyChanges } from '@notewire/mirror'
import type { PostgresConnection } from '@notewire/mirror/postgres'
import type { openPool } from '../servers/test-databases.ts'

type Pool = ReturnType<typeof openPool>

export const TITLES_TABLES = `
  CREATE TABLE titles (integration text, note_id text, title text, PRIMARY KEY (integration, note_id));
  CREATE TABLE applied (place bigserial, integration text, note_id text, kind text)`

/** Maintains a table of titles in the mirror's database, and records each applied change, in the transaction of the consumer. */
export function applyToTitles(pool: Pool, integration: string): ApplyChanges<PostgresConnection> {
  return async (changes, { commit }) => {
    const connection = await pool.connect()
    try {
      await connection.query('BEGIN')
      for (const { noteId, ...change } of changes) {
        const key = [integration, noteId]
        await connection.query('DELETE FROM titles WHERE integration = $1 AND note_id = $2', key)
        if (change.kind === 'content')
          await connection.query('INSERT INTO titles VALUES ($1, $2, $3)', [...key, change.note.title])
        await connection.query('INSERT INTO applied (integration, note_id, kind) VALUES ($1, $2, $3)', [
          ...key,
          change.kind,
        ])
      }
      await commit(connection)
      await connection.query('COMMIT')
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => undefined)
      throw error
    } finally {
      connection.release()
    }
  }
}
