import type { SqliteRow, SqliteStatement } from '@notewire/storage'
import { type AppliedRevision, type NoteChange, raiseRevision } from '../../interfaces/revision-gate.ts'
import type { ClaimRequest } from '../../interfaces/store.ts'
import type { Seen } from '../../interfaces/transaction-store.ts'
import type { KnownEvent } from '../look-result.ts'
import { NOW, wholeMs } from './schema.ts'

/** What a claim or the mark of an event writes, if neither row has changed since the look. */
interface Writing extends Seen {
  /** Omitted if there is no lease afterwards. */
  readonly leaseMs?: number
  /** Omitted if the event is not marked as processed. */
  readonly keepMs?: number
  readonly change?: NoteChange | undefined
}

/** Reads, without a lock, what the tables contain of an event and of its note. */
export function lookStatement(
  { integration, eventId, note, leaseMs }: ClaimRequest,
  now: number | null,
): SqliteStatement {
  const latestLeaseMs = 2 * wholeMs(leaseMs)
  return {
    sql: LOOK,
    parameters: [latestLeaseMs, latestLeaseMs, now, integration, eventId, integration, note?.noteId ?? null],
  }
}

export function knownEvent(row: SqliteRow = {}): KnownEvent {
  return {
    eventVersion: textIn(row['event_version']),
    noteVersion: textIn(row['note_version']),
    isProcessed: row['is_processed'] === 1,
    isForgotten: row['is_forgotten'] === 1,
    isLeased: row['is_leased'] === 1,
    applied: row['applied'] ? (JSON.parse(String(row['applied'])) as AppliedRevision) : undefined,
  }
}

/**
 * Writes the rows of an event and of its note, if neither has changed since the look: a claim, or the mark of an event in a receiver's transaction.
 * Both get a new fencing token, so that all earlier claims and looks are invalid. It is at least the time, so that tokens also grow if a row was
 * pruned in between.
 */
export function writeStatements(
  { integration, eventId, note }: ClaimRequest,
  { eventVersion = '', noteVersion = '', leaseMs, keepMs, applied, change }: Writing,
  now: number | null,
): readonly SqliteStatement[] {
  const event = [integration, eventId]
  const noteKey = [integration, note?.noteId ?? null]
  const keptMs = keepMs === undefined ? null : wholeMs(keepMs)
  const endMs = leaseMs === undefined ? null : wholeMs(leaseMs)
  const seen = [...event, eventVersion, ...noteKey, noteVersion]
  const parameters = [...event, ...seen, now, ...event, ...noteKey, now, endMs, now, keptMs]
  const statements: SqliteStatement[] = [{ sql: WRITE_EVENT, parameters }]
  if (note !== undefined) {
    const state = change === undefined ? [null, null] : [keptMs, appliedAfter(applied, change)]
    statements.push({ sql: WRITE_NOTE, parameters: [note.noteId, now, ...state, ...event] })
  }
  return [...statements, { sql: READ_TOKEN, parameters: event }]
}

/** The fencing token that the statements have written. `undefined` if a row has changed: nothing was written. */
export function tokenIn(rows: readonly SqliteRow[][]): string | undefined {
  return textIn(rows.at(-1)?.[0]?.['fencing_token'])
}

/** Lets a processed event be processed again. */
export function forgetStatement(integration: string, eventId: string): SqliteStatement {
  return { sql: FORGET, parameters: [integration, eventId] }
}

/** Lets an event be processed again that was marked with this fencing token. */
export function takeBackStatement({ integration, eventId }: ClaimRequest, fencingToken: string): SqliteStatement {
  return { sql: TAKE_BACK, parameters: [integration, eventId, fencingToken] }
}

/** Records another change of the note, in the transaction that has marked the event. */
export function reviseStatement(
  { integration, note, keepMs }: ClaimRequest,
  { applied, change }: Pick<Writing, 'applied' | 'change'>,
  now: number | null,
): SqliteStatement {
  const state = change === undefined ? null : appliedAfter(applied, change)
  return {
    sql: REVISE,
    parameters: [state, now, wholeMs(keepMs), integration, note?.noteId ?? null],
  }
}

/** What is recorded as applied to a note after a change, in JSON. */
export function appliedAfter(applied: AppliedRevision | undefined, change: NoteChange): string {
  return JSON.stringify(raiseRevision(applied, change))
}

function textIn(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value)
}

// Every claim changes the token, and every other operation of a worker changes the end of its lease.
const versionOf = (row: string) => `${row}fencing_token || ' ' || coalesce(${row}lease_ends_at, '')`

// A lease that ends later was written before the clock was set back.
const isLive = (row: string) => `coalesce(${row}.lease_ends_at > now AND ${row}.lease_ends_at <= now + ?, 0)`

const LOOK = `
  SELECT
    ${versionOf('event.')} AS event_version,
    event.kept_until IS NOT NULL AS is_processed,
    event.forgotten AS is_forgotten,
    ${versionOf('note.')} AS note_version,
    note.applied,
    ${isLive('event')} OR ${isLive('note')} AS is_leased
  FROM (SELECT ${NOW} AS now)
  LEFT JOIN notewire_events AS event ON event.integration = ? AND event.event_id = ?
  LEFT JOIN notewire_notes AS note ON note.integration = ? AND note.note_id = ?`

const isVersion = (table: string, id: string) =>
  `coalesce((SELECT ${versionOf('')} FROM ${table} WHERE integration = ? AND ${id} = ?), '') = ?`

const nextAfter = (table: string, id: string) =>
  `coalesce((SELECT fencing_token + 1 FROM ${table} WHERE integration = ? AND ${id} = ?), 0)`

// Either time may be NULL.
const latestOf = (row: string) =>
  `coalesce(max(excluded.kept_until, ${row}.kept_until), excluded.kept_until, ${row}.kept_until)`

// If a row has changed, the token is NULL, and `OR IGNORE` skips the row because the column is NOT NULL.
const WRITE_EVENT = `
  INSERT OR IGNORE INTO notewire_events AS event (integration, event_id, fencing_token, lease_ends_at, kept_until)
  VALUES (?, ?,
    CASE WHEN ${isVersion('notewire_events', 'event_id')} AND ${isVersion('notewire_notes', 'note_id')}
      THEN max(${NOW}, ${nextAfter('notewire_events', 'event_id')}, ${nextAfter('notewire_notes', 'note_id')}) END,
    ${NOW} + ?, ${NOW} + ?)
  ON CONFLICT (integration, event_id) DO UPDATE SET
    fencing_token = excluded.fencing_token,
    lease_ends_at = excluded.lease_ends_at,
    forgotten = event.forgotten AND excluded.kept_until IS NULL,
    kept_until = ${latestOf('event')}`

// `changes()` is 1 if the statement before has written the event.
const WRITE_NOTE = `
  INSERT INTO notewire_notes AS note (integration, note_id, fencing_token, lease_ends_at, kept_until, applied)
  SELECT integration, ?, fencing_token, lease_ends_at, ${NOW} + ?, ? FROM notewire_events
  WHERE integration = ? AND event_id = ? AND changes() = 1
  ON CONFLICT (integration, note_id) DO UPDATE SET
    fencing_token = excluded.fencing_token,
    lease_ends_at = excluded.lease_ends_at,
    kept_until = ${latestOf('note')},
    applied = coalesce(excluded.applied, note.applied)`

// `changes()` is still 1 if the rows were written.
const READ_TOKEN = 'SELECT fencing_token FROM notewire_events WHERE integration = ? AND event_id = ? AND changes() = 1'

/** SQL with the time and a duration as parameters. */
export const KEPT = `kept_until = max(coalesce(kept_until, 0), ${NOW} + ?)`

const REVISE = `UPDATE notewire_notes SET applied = coalesce(?, applied), ${KEPT}
  WHERE integration = ? AND note_id = ?`

const FORGET = `
  UPDATE notewire_events SET forgotten = 1
  WHERE integration = ? AND event_id = ? AND kept_until IS NOT NULL AND NOT forgotten
  RETURNING event_id`

const TAKE_BACK = `
  UPDATE notewire_events SET forgotten = 1 WHERE integration = ? AND event_id = ? AND fencing_token = ?`
