import type { SqliteStatement } from '@notewire/storage'

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
      fencing_token INTEGER NOT NULL,       -- of the latest claim
      lease_ends_at INTEGER,                -- of the claim that has not ended
      kept_until INTEGER,                   -- set by a commit: when the record may be pruned
      forgotten INTEGER NOT NULL DEFAULT 0, -- the record counts no longer: the event may be processed again
      PRIMARY KEY (integration, event_id)
    ) STRICT, WITHOUT ROWID`,
  `
    CREATE TABLE IF NOT EXISTS notewire_notes (
      integration TEXT NOT NULL,
      note_id TEXT NOT NULL,
      fencing_token INTEGER NOT NULL, -- of the latest claim
      lease_ends_at INTEGER,          -- of the claim that has not ended
      kept_until INTEGER,             -- when what was applied may be pruned
      applied TEXT,                   -- what was applied: an AppliedRevision in JSON
      PRIMARY KEY (integration, note_id)
    ) STRICT, WITHOUT ROWID`,
].map((sql) => ({ sql, parameters: [] }))

/** Returns a row if the tables exist. They are created in one transaction. */
export const FIND_SCHEMA: SqliteStatement = {
  sql: "SELECT 1 FROM sqlite_master WHERE name = 'notewire_notes'",
  parameters: [],
}

/** SQL: the time of the database. */
const DATABASE_TIME = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

/** SQL with one parameter: the time of the caller, or the time of the database if the parameter is `null`. */
export const NOW = `coalesce(?, ${DATABASE_TIME})`

/** A duration in whole milliseconds, at most 2^52, so that SQLite can add it to any time. `Infinity` is allowed. */
export function wholeMs(ms: number): number {
  return Math.min(Math.ceil(ms), 2 ** 52)
}
