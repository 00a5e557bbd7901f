import type { PostgresConnection } from './postgres-connection.ts'

/** How much of a table one statement looks through: 1.6 MB, some ten thousand rows. */
const PAGES_AT_ONCE = 200

/** Deletes the rows of a table that are nobody's and need not be kept, a few pages at a time. */
export async function pruneTable(
  table: 'notewire_events' | 'notewire_notes',
  connection: PostgresConnection,
): Promise<number> {
  let removed = 0
  for (let page = 0, pages = 1; page < pages; page += PAGES_AT_ONCE) {
    const { rows } = await connection.query(pruningOf(table), [`(${page},0)`, `(${page + PAGES_AT_ONCE},0)`])
    const [answer] = rows as readonly [{ readonly removed: unknown; readonly pages: unknown }]
    removed += Number(answer.removed)
    pages = Number(answer.pages)
  }
  return removed
}

// By physical position: no index on a time would leave updates heap-only. A row that moves meanwhile is left to the next call,
// and so is one that is locked: nobody waits for the pruning, and it waits for nobody.
function pruningOf(table: string): string {
  return `
WITH pruned AS (
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table}
      WHERE ctid >= $1::tid AND ctid < $2::tid
        AND (kept_until IS NULL OR kept_until <= clock_timestamp())
        AND (lease_ends_at IS NULL OR lease_ends_at <= clock_timestamp())
      FOR UPDATE SKIP LOCKED))
  RETURNING kept_until
)
SELECT count(kept_until) AS removed,
  pg_relation_size('${table}') / current_setting('block_size')::bigint AS pages
  FROM pruned`
}
