import {
  type AppliedRevision,
  type NoteChange,
  passRevisionGate,
  raiseRevision,
} from '../../interfaces/revision-gate.ts'
import type { ClaimRequest, ClaimResult } from '../../interfaces/store.ts'
import type { SqliteRow, SqliteStatement, SqliteValue } from '../../storage/sqlite-driver.ts'
import { appliedIn, NOTE_STATE } from './note-state.ts'
import { NOW, wholeMs } from './schema.ts'

/** Leases the event and its note, and returns one row: the claim, or the reason if it is not possible. */
export function claimStatements(request: ClaimRequest, now: number | null): readonly SqliteStatement[] {
  const { integration, eventId, note } = request
  const leaseMs = wholeMs(request.leaseMs)
  const decided = [integration, eventId, note?.noteId ?? null, ...gateParameters(request), now, leaseMs]
  return [
    { sql: LEASE_EVENT, parameters: [...decided, integration, eventId, now, leaseMs] },
    ...(note === undefined ? [] : [{ sql: LEASE_NOTE, parameters: [note.noteId, integration, eventId] }]),
    { sql: ANSWER, parameters: decided },
  ]
}

/** Reads the result of the statements of a claim. */
export function readClaim(rows: readonly SqliteRow[][], request: ClaimRequest): ClaimResult {
  const row = rows.at(-1)?.[0] ?? {}
  const { outcome, current_token } = row
  if (outcome === 'claimed') {
    return { status: 'claimed', claim: { request, fencingToken: String(current_token), applied: appliedIn(row) } }
  }
  if (outcome === 'duplicate') return { status: 'duplicate' }
  if (outcome === 'stale') return { status: 'stale', appliedRevision: appliedIn(row)?.revision }
  // Also if it is `free`: a lease may expire between two statements.
  return { status: 'busy' }
}

// The decisions of the gate for an equal revision, so that the SQL needs no modes: if the change was seen, if it was not seen, and if it
// occurred after the note's deletion. `revision` is NULL if the event passes in any case.
function gateParameters({ gate, note }: ClaimRequest): readonly SqliteValue[] {
  const change = note?.change
  if (change?.revision === undefined || gate === 'off') return [null, null, null, null, null, null, null]
  const { revision, seen } = raiseRevision(undefined, change)
  const passes = (applied: Omit<AppliedRevision, 'revision'>) =>
    Number(passRevisionGate(gate, change, { revision, ...applied }) === 'apply')
  return [
    change.revision,
    Number(change.kind === 'note.deleted'),
    seenKeyOf(change),
    passes({ deleted: false, seen }),
    passes({ deleted: false, seen: [] }),
    passes({ deleted: true, deletedAt: -Infinity, seen: [] }),
    change.occurredAt ?? null,
  ]
}

/** The key of an applied change in `seen`. */
export function seenKeyOf(change: NoteChange): string {
  return raiseRevision(undefined, change).seen[0] ?? ''
}

/** SQL: whether a change is newer than the deletion of its note. */
export function endsDeletion(revision: string, occurredAt: string): string {
  const isAbove = `coalesce(NOT note.deleted_at_any_revision AND ${revision} > note.revision, 0)`
  return `(${isAbove} OR coalesce(${occurredAt} > note.deletion_occurred_at, 0))`
}

// Tokens grow with each claim of a row. They are at least the time, so they also grow if a row was pruned in between.
const DECIDE = `
  WITH request (
    integration, event_id, note_id, revision, is_deletion, seen_key, passes_if_seen, passes_if_unseen, passes_if_later,
    occurred_at, now, lease_ms
  ) AS (VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${NOW}, ?)),
  decision AS (
    SELECT
      event.fencing_token AS current_token,
      max(now, coalesce(event.fencing_token + 1, 0), coalesce(note.fencing_token + 1, 0)) AS next_token,
      ${NOTE_STATE},
      CASE
        WHEN event.processed_at IS NOT NULL AND event.forgotten_at IS NULL THEN 'duplicate'
        WHEN event.processed_at IS NULL AND (
          request.revision < note.revision
          OR request.revision = note.revision AND NOT CASE
            WHEN note.deleted THEN passes_if_later
            WHEN seen_key IN (SELECT value FROM json_each(note.seen)) THEN passes_if_seen
            ELSE passes_if_unseen
          END
          OR note.deleted AND NOT is_deletion AND NOT ${endsDeletion('request.revision', 'request.occurred_at')}
        ) THEN 'stale'
        -- A lease that ends later was written before the clock was set back.
        WHEN event.lease_ends_at > now AND event.lease_ends_at <= now + 2 * lease_ms
          OR note.lease_ends_at > now AND note.lease_ends_at <= now + 2 * lease_ms THEN 'busy'
        ELSE 'free'
      END AS answer
    FROM request
    LEFT JOIN notewire_events AS event ON event.integration = request.integration AND event.event_id = request.event_id
    LEFT JOIN notewire_notes AS note ON note.integration = request.integration AND note.note_id = request.note_id
  )`

// If the answer is not `free`, the token is NULL, and `OR IGNORE` skips the row because the column is NOT NULL. `INSERT … SELECT` from the
// same table, and RETURNING, would each create a temporary table, which costs more than the rest of the statement.
const LEASE_EVENT = `${DECIDE}
  INSERT OR IGNORE INTO notewire_events (integration, event_id, fencing_token, lease_ends_at)
  VALUES (?, ?, (SELECT next_token FROM decision WHERE answer = 'free'), ${NOW} + ?)
  ON CONFLICT (integration, event_id) DO UPDATE
  SET fencing_token = excluded.fencing_token, lease_ends_at = excluded.lease_ends_at`

// `changes()` is 1 if the previous statement leased the event.
const LEASE_NOTE = `
  INSERT INTO notewire_notes (integration, note_id, fencing_token, lease_ends_at)
  SELECT integration, ?, fencing_token, lease_ends_at FROM notewire_events
  WHERE integration = ? AND event_id = ? AND changes() = 1
  ON CONFLICT (integration, note_id) DO UPDATE
  SET fencing_token = excluded.fencing_token, lease_ends_at = excluded.lease_ends_at`

// `changes()` is still 1 if both statements leased their rows.
const ANSWER = `${DECIDE}
  SELECT *, CASE changes() WHEN 1 THEN 'claimed' ELSE answer END AS outcome FROM decision`
