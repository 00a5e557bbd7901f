import type { SqliteStatement } from '../../storage/sqlite-driver.ts'

/**
 * The tables that `migrate` creates if they are missing.
 *
 * A row remains after its claim has ended, because the next claim must exceed its fencing token; `prune` removes it. Times are in
 * milliseconds since the Unix epoch.
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
      deleted INTEGER NOT NULL DEFAULT 0, -- whether the note counts as deleted
      deleted_at_any_revision INTEGER NOT NULL DEFAULT 0, -- only a later time ends the deletion: it had no revision
      deletion_occurred_at INTEGER,       -- when the deletion occurred, if that is known
      seen TEXT NOT NULL DEFAULT '[]',    -- what was applied at that revision since its deletion: kinds, in JSON
      kept_until INTEGER,                 -- when the revision may be pruned
      PRIMARY KEY (integration, note_id)
    ) STRICT, WITHOUT ROWID`,
].map((sql) => ({ sql, parameters: [] }))

/** Returns a row if the tables exist. They are created in one transaction. */
export const FIND_SCHEMA: SqliteStatement = {
  sql: "SELECT 1 FROM sqlite_master WHERE name = 'notewire_notes'",
  parameters: [],
}

/** SQL: the time of the database. */
export const DATABASE_TIME = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

/** SQL with one parameter: the time of the caller, or the time of the database if the parameter is `null`. */
export const NOW = `coalesce(?, ${DATABASE_TIME})`

/** A duration in whole milliseconds, at most 2^52, so that SQLite can add it to any time. `Infinity` is allowed. */
export function wholeMs(ms: number): number {
  return Math.min(Math.ceil(ms), 2 ** 52)
}
