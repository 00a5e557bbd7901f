import type { Pool } from 'pg'

/** Describes a schema of PostgreSQL: columns, indexes, views, and functions with their settings, in SQL or similar. */
export async function tableDefinitions(pool: Pool, schema = 'public'): Promise<readonly string[]> {
  const { rows } = await pool.query<{ line: string }>(DEFINITIONS, [schema])
  return rows.map(({ line }) => line)
}

const DEFINITIONS = `
WITH relations AS (SELECT * FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident($1)))
SELECT format('%s.%s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)) AS line
  FROM relations JOIN pg_attribute ON attrelid = relations.oid AND attnum > 0
  LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
UNION ALL SELECT format('%s %s %s', relname, relpersistence, reloptions) FROM relations
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = $1
UNION ALL SELECT definition FROM pg_views WHERE schemaname = $1
UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = to_regnamespace(quote_ident($1))
ORDER BY line`
