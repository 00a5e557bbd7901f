import type { PostgresQueries } from '@notewire/storage'

/** How many pages of a table one statement reads: 1.6 MB, about ten thousand rows. */
const PAGES_AT_ONCE = 200

/** Deletes the rows of a table that have no lease and need not be kept any longer, a few pages at a time. */
export async function pruneTable(
  table: 'notewire_events' | 'notewire_notes',
  queries: PostgresQueries,
): Promise<number> {
  let removed = 0
  for (let page = 0, pages = 1; page < pages; page += PAGES_AT_ONCE) {
    const range = [`(${page},0)`, `(${page + PAGES_AT_ONCE},0)`]
    const [pruned] = await queries.run<PrunedRow>('prune', pruningOf(table), range)
    removed += Number(pruned?.removed ?? 0)
    pages = Number(pruned?.pages ?? 0)
  }
  return removed
}

interface PrunedRow {
  readonly removed: unknown
  readonly pages: unknown
}

// By physical position, because an index on a time would prevent heap-only updates. Pruning does not wait for locks: a row that is locked
// or moves in the meantime is left to the next call.
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
