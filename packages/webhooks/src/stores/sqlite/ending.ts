import type { Claim } from '../../interfaces/store.ts'
import type { SqliteRow, SqliteStatement, SqliteValue } from '../../storage/sqlite-driver.ts'
import { endsDeletion, seenKeyOf } from './claiming.ts'
import { NOW, wholeMs } from './schema.ts'

/** Marks the event as processed, raises the revision of its note and ends their leases, if the claim is current. */
export function commitStatements(claim: Claim, now: number | null): readonly SqliteStatement[] {
  const { note } = claim.request
  const keepMs = wholeMs(claim.request.keepMs)
  const mark = ifCurrent(MARK, [now, now, keepMs], claim)
  if (note?.change === undefined) return [mark, ...thenOnNote(END_LEASE_OF_NOTE, [], claim)]
  const { kind, revision, occurredAt } = note.change
  const change = [revision ?? null, Number(kind === 'note.deleted'), occurredAt ?? null, seenKeyOf(note.change)]
  return [mark, { sql: RAISE, parameters: [claim.request.integration, note.noteId, now, keepMs, ...change] }]
}

/** Renews both leases, if the claim is current. */
export function renewStatements(claim: Claim, leaseMs: number, now: number | null): readonly SqliteStatement[] {
  const until = [now, wholeMs(leaseMs)]
  return [ifCurrent(RENEW, until, claim), ...thenOnNote(RENEW_NOTE, until, claim)]
}

/** Ends both leases, if the claim is current. */
export function releaseStatements(claim: Claim): readonly SqliteStatement[] {
  return [ifCurrent(RELEASE, [], claim), ...thenOnNote(END_LEASE_OF_NOTE, [], claim)]
}

/** Lets a processed event be processed again. */
export function forgetStatement(integration: string, eventId: string, now: number | null): SqliteStatement {
  return { sql: FORGET, parameters: [now, integration, eventId] }
}

/** Whether the first statement returned a row: the claim was current, or the processed event was found. */
export function hasRow(rows: readonly SqliteRow[][]): boolean {
  return rows[0]?.[0] !== undefined
}

interface EventUpdate {
  readonly withoutNote: string
  readonly withNote: string
}

function ifCurrent(
  { withoutNote, withNote }: EventUpdate,
  values: readonly SqliteValue[],
  { request: { integration, eventId, note }, fencingToken }: Claim,
): SqliteStatement {
  const token = Number(fencingToken)
  const parameters = [...values, integration, eventId, token]
  if (note === undefined) return { sql: withoutNote, parameters }
  return { sql: withNote, parameters: [...parameters, integration, note.noteId, token] }
}

function thenOnNote(
  sql: string,
  values: readonly SqliteValue[],
  { request: { integration, note } }: Claim,
): readonly SqliteStatement[] {
  return note === undefined ? [] : [{ sql, parameters: [...values, integration, note.noteId] }]
}

const MARK = eventUpdate(
  `processed_at = ${NOW}, forgotten_at = NULL, kept_until = max(${NOW} + ?, coalesce(kept_until, 0)), lease_ends_at = NULL`,
)
const RENEW = eventUpdate(`lease_ends_at = ${NOW} + ?`)
const RELEASE = eventUpdate('lease_ends_at = NULL')

function eventUpdate(assignments: string): EventUpdate {
  const held = (id: string) => `integration = ? AND ${id} = ? AND fencing_token = ? AND lease_ends_at IS NOT NULL`
  const update = `UPDATE notewire_events SET ${assignments} WHERE ${held('event_id')}`
  return {
    withoutNote: `${update} RETURNING event_id`,
    withNote: `${update} AND EXISTS (SELECT 1 FROM notewire_notes WHERE ${held('note_id')}) RETURNING event_id`,
  }
}

// The update of the event runs directly before this statement: `changes()` is 1 if the claim was current.
const THEN_ON_NOTE = 'WHERE integration = ? AND note_id = ? AND changes() = 1'

const RENEW_NOTE = `UPDATE notewire_notes SET lease_ends_at = ${NOW} + ? ${THEN_ON_NOTE}`

const END_LEASE_OF_NOTE = `UPDATE notewire_notes SET lease_ends_at = NULL ${THEN_ON_NOTE}`

// A deletion without a revision has the revision NULL.
const ENDS_DELETION = endsDeletion('excluded.revision', 'excluded.deletion_occurred_at')

// `raiseRevision` in SQL. An upsert, although the row exists: `UPDATE … FROM` would create a temporary table, which costs better-sqlite3
// ten times as much.
const RAISE = `
  INSERT INTO notewire_notes AS note (integration, note_id, fencing_token, kept_until, revision, deleted, deletion_occurred_at, seen)
  SELECT ?, ?, 0, ${NOW} + ?, ?, ?, ?, json_array(?) WHERE changes() = 1
  ON CONFLICT (integration, note_id) DO UPDATE SET
    lease_ends_at = NULL,
    kept_until = max(excluded.kept_until, coalesce(note.kept_until, 0)),
    revision = max(coalesce(excluded.revision, note.revision), coalesce(note.revision, excluded.revision)),
    deleted = CASE
      WHEN note.revision > excluded.revision THEN note.deleted
      ELSE excluded.deleted OR note.deleted AND NOT ${ENDS_DELETION}
    END,
    deleted_at_any_revision = CASE
      WHEN note.revision > excluded.revision THEN note.deleted_at_any_revision
      ELSE excluded.revision IS NULL OR note.deleted AND note.deleted_at_any_revision AND NOT ${ENDS_DELETION}
    END,
    -- The later of the two where the note counts as deleted already; NULL where one of them is not known.
    deletion_occurred_at = CASE
      WHEN note.revision > excluded.revision OR NOT excluded.deleted THEN note.deletion_occurred_at
      WHEN note.deleted AND NOT ${ENDS_DELETION} THEN max(note.deletion_occurred_at, excluded.deletion_occurred_at)
      ELSE excluded.deletion_occurred_at
    END,
    seen = CASE
      WHEN note.revision > excluded.revision THEN note.seen
      WHEN excluded.deleted OR note.revision IS NOT excluded.revision THEN excluded.seen
      WHEN excluded.seen ->> 0 IN (SELECT value FROM json_each(note.seen)) THEN note.seen
      ELSE json_insert(note.seen, '$[#]', excluded.seen ->> 0)
    END`

const FORGET = `
  UPDATE notewire_events SET forgotten_at = ${NOW}
  WHERE integration = ? AND event_id = ? AND processed_at IS NOT NULL AND forgotten_at IS NULL
  RETURNING event_id`
