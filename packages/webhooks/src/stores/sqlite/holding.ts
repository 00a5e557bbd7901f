import { type NoteChange, raiseRevision } from '../../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../../interfaces/store.ts'
import type { Seen } from '../../interfaces/transaction-store.ts'
import type { SqliteRow, SqliteStatement } from '../../storage/sqlite-driver.ts'
import type { KnownEvent } from '../look-result.ts'
import { appliedIn, NOTE_STATE } from './note-state.ts'
import { DATABASE_TIME, wholeMs } from './schema.ts'

/** Reads what the tables contain of an event and of its note. */
export function lookStatement({ integration, eventId, note, leaseMs }: ClaimRequest): SqliteStatement {
  const latestLeaseMs = 2 * wholeMs(leaseMs)
  return {
    sql: LOOK,
    parameters: [latestLeaseMs, latestLeaseMs, integration, eventId, integration, note?.noteId ?? null],
  }
}

/** Reads the row of a look. */
export function knownEvent(row: SqliteRow = {}): KnownEvent {
  return {
    eventVersion: textIn(row['event_version']),
    noteVersion: textIn(row['note_version']),
    isProcessed: row['is_processed'] === 1,
    isForgotten: row['is_forgotten'] === 1,
    isLeased: row['is_leased'] === 1,
    applied: appliedIn(row),
  }
}

/** Marks an event as processed and sets the state of its note, in the transaction in which the look was made. */
export function holdStatements(
  { integration, eventId, note, keepMs }: ClaimRequest,
  { applied }: Pick<Seen, 'applied'>,
  change: NoteChange | undefined,
): readonly SqliteStatement[] {
  const mark = { sql: MARK, parameters: [integration, eventId, wholeMs(keepMs)] }
  if (note === undefined) return [mark]
  if (change === undefined) return [mark, { sql: FENCE, parameters: [integration, note.noteId] }]
  const { revision, deleted, deletedAtAnyRevision, deletedAt, seen } = raiseRevision(applied, change)
  const state = [revision ?? null, Number(deleted), Number(deletedAtAnyRevision ?? false), deletedAt ?? null]
  const parameters = [integration, note.noteId, wholeMs(keepMs), ...state, JSON.stringify(seen)]
  return [mark, { sql: SET_STATE, parameters }]
}

function textIn(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value)
}

// A lease that ends later was written before the clock was set back.
const isLive = (lease: string) => `coalesce(${lease} > ${DATABASE_TIME} AND ${lease} <= ${DATABASE_TIME} + ?, 0)`

const LOOK = `
  SELECT
    event.fencing_token || ' ' || coalesce(event.lease_ends_at, '') AS event_version,
    event.processed_at IS NOT NULL AS is_processed,
    event.forgotten_at IS NOT NULL AS is_forgotten,
    note.fencing_token || ' ' || coalesce(note.lease_ends_at, '') AS note_version,
    ${NOTE_STATE},
    ${isLive('event.lease_ends_at')} OR ${isLive('note.lease_ends_at')} AS is_leased
  FROM (SELECT 1)
  LEFT JOIN notewire_events AS event ON event.integration = ? AND event.event_id = ?
  LEFT JOIN notewire_notes AS note ON note.integration = ? AND note.note_id = ?`

// New fencing tokens make claims and looks before this transaction invalid. They are at least the time, so they also grow if a row was
// pruned in between.
const SET_TOKEN = `fencing_token = max(${DATABASE_TIME}, fencing_token + 1), lease_ends_at = NULL`

const MARK = `
  INSERT INTO notewire_events (integration, event_id, fencing_token, processed_at, kept_until)
  VALUES (?, ?, ${DATABASE_TIME}, ${DATABASE_TIME}, ${DATABASE_TIME} + ?)
  ON CONFLICT (integration, event_id) DO UPDATE SET ${SET_TOKEN},
    processed_at = excluded.processed_at, forgotten_at = NULL, kept_until = max(excluded.kept_until, coalesce(kept_until, 0))`

const FENCE = `
  INSERT INTO notewire_notes (integration, note_id, fencing_token) VALUES (?, ?, ${DATABASE_TIME})
  ON CONFLICT (integration, note_id) DO UPDATE SET ${SET_TOKEN}`

const SET_STATE = `
  INSERT INTO notewire_notes (
    integration, note_id, fencing_token, kept_until, revision, deleted, deleted_at_any_revision, deletion_occurred_at, seen)
  VALUES (?, ?, ${DATABASE_TIME}, ${DATABASE_TIME} + ?, ?, ?, ?, ?, ?)
  ON CONFLICT (integration, note_id) DO UPDATE SET ${SET_TOKEN},
    kept_until = max(excluded.kept_until, coalesce(kept_until, 0)), revision = excluded.revision, deleted = excluded.deleted,
    deleted_at_any_revision = excluded.deleted_at_any_revision, deletion_occurred_at = excluded.deletion_occurred_at,
    seen = excluded.seen`
