import type { SqliteStatement } from '../../storage/sqlite-driver.ts'

/**
 * What `migrate` makes, where it is not there yet.
 *
 * A row stays after its claim has ended, because it holds the fencing token that the next claim must exceed; `prune`
 * removes it. Times are in milliseconds since the Unix epoch.
 */
export const SCHEMA: readonly SqliteStatement[] = [
  `
    CREATE TABLE IF NOT EXISTS notewire_events (
      integration TEXT NOT NULL,
      event_id TEXT NOT NULL,
      fencing_token INTEGER NOT NULL, -- of the latest claim
      lease_ends_at INTEGER,          -- of the claim that has not ended
      processed_at INTEGER,           -- the mark of a commit
      forgotten_at INTEGER,           -- the mark counts no longer: the event may be processed again
      kept_until INTEGER,             -- when the mark may be pruned
      PRIMARY KEY (integration, event_id)
    ) STRICT, WITHOUT ROWID`,
  `
    CREATE TABLE IF NOT EXISTS notewire_notes (
      integration TEXT NOT NULL,
      note_id TEXT NOT NULL,
      fencing_token INTEGER NOT NULL,     -- of the latest claim
      lease_ends_at INTEGER,              -- of the claim that has not ended
      revision INTEGER,                   -- the highest that was applied
      deleted INTEGER NOT NULL DEFAULT 0, -- whether the note counts as deleted at that revision
      seen TEXT NOT NULL DEFAULT '[]',    -- what was applied at that revision since its deletion: kinds, in JSON
      kept_until INTEGER,                 -- when the revision may be pruned
      PRIMARY KEY (integration, note_id)
    ) STRICT, WITHOUT ROWID`,
].map(withoutParameters)

/** Adds what the tables of an earlier version lack. */
export const ADD_COLUMNS: readonly SqliteStatement[] = [
  // The revision at which the deletion was applied whose time is known. An earlier version leaves it as it was.
  'ALTER TABLE notewire_notes ADD COLUMN deletion_revision INTEGER',
  // When that deletion occurred; NULL where its event did not say so.
  'ALTER TABLE notewire_notes ADD COLUMN deletion_occurred_at INTEGER',
].map(withoutParameters)

/** Returns a row if nothing is missing: the columns are added last. Not by a pragma, which D1 and Durable Objects need not allow. */
export const HAS_COLUMNS: SqliteStatement = withoutParameters(
  "SELECT 1 FROM sqlite_master WHERE name = 'notewire_notes' AND sql LIKE '%deletion_occurred_at%'",
)

function withoutParameters(sql: string): SqliteStatement {
  return { sql, parameters: [] }
}

/** The time of a statement, for one parameter: the caller's, or the database's own where that is `null`. */
export const NOW = "coalesce(?, CAST(unixepoch('subsec') * 1000 AS INTEGER))"

/** How long, in whole milliseconds that SQLite can add to any time, also where it is for ever. */
export function wholeMs(ms: number): number {
  return Math.min(Math.ceil(ms), 2 ** 52)
}
