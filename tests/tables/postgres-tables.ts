import type { PostgresConnection } from '@notewire/webhooks/storage'
import type { openPool } from '../servers/test-databases.ts'

/** A pool of `pg`. */
export type Pool = ReturnType<typeof openPool>

/** A connection that notes the statements which change the schema. */
export function recordingConnection(pool: Pool): { connection: PostgresConnection; schema: readonly string[] } {
  const schema: string[] = []
  const connection: PostgresConnection = {
    query(text, values) {
      if (/^\s*DO\b/.test(text)) schema.push(text)
      return pool.query(text, values)
    },
  }
  return { connection, schema }
}

/** Makes `clock_timestamp()` stand still for connections whose search path has the schema `frozen` before `pg_catalog`. */
export function freezeClock(at: number): string {
  return `
    CREATE SCHEMA frozen;
    CREATE FUNCTION frozen.clock_timestamp() RETURNS timestamptz LANGUAGE sql
      AS $$ SELECT timestamptz '${new Date(at).toISOString()}' $$`
}

/** The options of a connection for which time stands still. */
export const FROZEN_SEARCH_PATH = '-c search_path=public,frozen,pg_catalog -c timezone=UTC'

/** Writes a database as SQL: the statements of its migration, then its rows. */
export async function dumpPostgres(pool: Pool, schema: readonly string[]): Promise<string> {
  const tables = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relname LIKE 'notewire%' AND relkind = 'r' ORDER BY relname COLLATE "C"`,
  )
  const dump = schema.map((sql) => `${sql.trim()};\n`)
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ sql: string }>(`
      SELECT format('INSERT INTO ${name} SELECT * FROM jsonb_populate_record(NULL::${name}, %L);', to_jsonb(row_of)) AS sql
      FROM ${name} AS row_of ORDER BY to_jsonb(row_of)::text COLLATE "C"`)
    dump.push(...rows.map(({ sql }) => `${sql}\n`))
  }
  return dump.join('')
}
