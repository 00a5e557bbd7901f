import type { SqliteRow, SqliteStatement, SqliteValue } from '@notewire/storage'
import type { Claim } from '../../interfaces/store.ts'
import { NOW, wholeMs } from './schema.ts'
import { appliedAfter, KEPT } from './statements.ts'

/** Renews the lease of a claim, if it is current. */
export function renewStatements(claim: Claim, leaseMs: number, now: number | null): readonly SqliteStatement[] {
  const end = [now, wholeMs(leaseMs)]
  return heldStatements(claim, { set: RENEWED, values: end }, { set: RENEWED, values: end })
}

/** Marks the event of a claim as processed, records what was applied to its note, and ends the claim, if it is current. */
export function commitStatements(claim: Claim, now: number | null): readonly SqliteStatement[] {
  const { note, keepMs } = claim.request
  const kept = [now, wholeMs(keepMs)]
  const event = { set: `${ENDED}, forgotten = 0, ${KEPT}`, values: kept }
  // What was applied is still the same: another claim would have changed the token.
  if (note?.change === undefined) return heldStatements(claim, event, { set: ENDED, values: [] })
  const applied = appliedAfter(claim.applied, note.change)
  return heldStatements(claim, event, { set: `${ENDED}, applied = ?, ${KEPT}`, values: [applied, ...kept] })
}

/** Ends a claim, if it is current. */
export function releaseStatements(claim: Claim): readonly SqliteStatement[] {
  return heldStatements(claim, { set: ENDED, values: [] }, { set: ENDED, values: [] })
}

/** Whether the claim was current. */
export function wasHeld(rows: readonly SqliteRow[][]): boolean {
  return rows.at(-1)?.[0] !== undefined
}

interface Change {
  readonly set: string
  readonly values: readonly SqliteValue[]
}

/** Changes the event and the note of a claim, if both still have its fencing token and a lease. */
function heldStatements({ request, fencingToken }: Claim, event: Change, note: Change): readonly SqliteStatement[] {
  const { integration, eventId } = request
  const token = Number(fencingToken)
  const changeEvent = `UPDATE notewire_events SET ${event.set} WHERE integration = ? AND event_id = ? AND ${HELD}`
  const ofEvent = [...event.values, integration, eventId, token]
  if (request.note === undefined) return [{ sql: changeEvent, parameters: ofEvent }, HAS_CHANGED]
  const noteKey = [integration, request.note.noteId]
  return [
    { sql: `${changeEvent} AND ${IS_NOTE_HELD}`, parameters: [...ofEvent, ...noteKey, token] },
    {
      sql: `UPDATE notewire_notes SET ${note.set} WHERE integration = ? AND note_id = ? AND changes() = 1`,
      parameters: [...note.values, ...noteKey],
    },
    HAS_CHANGED,
  ]
}

const HELD = 'fencing_token = ? AND lease_ends_at IS NOT NULL'
const IS_NOTE_HELD = `EXISTS (SELECT 1 FROM notewire_notes WHERE integration = ? AND note_id = ? AND ${HELD})`
const RENEWED = `lease_ends_at = ${NOW} + ?`
const ENDED = 'lease_ends_at = NULL'
const HAS_CHANGED: SqliteStatement = { sql: 'SELECT 1 AS held WHERE changes() = 1', parameters: [] }
