import type { DeletionFloor, Evidence, HeardEvent, NoteState } from '../interfaces/note-state.ts'

/** The columns of a note's state in SQL, without its identifier, and what each holds. A `time` is milliseconds since the Unix epoch. */
// `numeric` holds whatever a service calls a revision in an event of an unknown kind.
export const STATE_COLUMNS = [
  ['presence', 'text'],
  ['evidence_says', 'text'],
  ['evidence_start', 'bigint'],
  ['evidence_end', 'bigint'],
  ['evidence_source', 'text'],
  ['evidence_at', 'time'],
  ['revision', 'bigint'],
  ['record_seen_at', 'time'],
  ['status', 'text'],
  ['transcript_status', 'text'],
  ['summary_status', 'text'],
  ['created_at', 'text'],
  ['updated_at', 'text'],
  ['settled_revision', 'bigint'],
  ['transcript_held', 'text'],
  ['summary_held', 'text'],
  ['dirty', 'bigint'],
  ['hinted_revision', 'numeric'],
  ['hidden_by', 'bigint'],
  ['hidden_at', 'time'],
  ['floor_revision', 'numeric'],
  ['floor_at', 'time'],
  ['floor_deleted_at', 'time'],
  ['contradicted_since', 'time'],
  ['held_by_scan', 'text'],
  ['attempts', 'bigint'],
  ['due_at', 'time'],
  ['heard_kind', 'text'],
  ['heard_revision', 'numeric'],
  ['heard_sequence', 'bigint'],
  ['heard_at', 'time'],
] as const

/** A note's state as a row: its columns by their names. */
export type StateRow = { readonly note_id: string } & {
  readonly [Column in (typeof STATE_COLUMNS)[number] as Column[0]]: Column[1] extends 'text'
    ? string | null
    : number | null
}

/** The row of a state. */
export function rowOf(state: NoteState): StateRow {
  const { evidence, heard } = state
  return {
    note_id: state.noteId,
    presence: state.presence,
    evidence_says: evidence?.says ?? null,
    evidence_start: evidence?.start ?? null,
    evidence_end: evidence?.end ?? null,
    evidence_source: evidence?.source ?? null,
    evidence_at: evidence?.at ?? null,
    revision: state.revision,
    record_seen_at: state.recordSeenAt,
    status: state.status,
    transcript_status: state.transcriptStatus,
    summary_status: state.summaryStatus,
    created_at: state.createdAt,
    updated_at: state.updatedAt,
    settled_revision: state.settledRevision,
    transcript_held: state.transcriptHeld,
    summary_held: state.summaryHeld,
    dirty: state.dirty,
    hinted_revision: state.hintedRevision,
    hidden_by: state.hiddenBy,
    hidden_at: state.hiddenAt,
    floor_revision: state.floor?.revision ?? null,
    floor_at: state.floor?.at ?? null,
    floor_deleted_at: state.floor?.deletedAt ?? null,
    contradicted_since: state.contradictedSince,
    held_by_scan: state.heldByScan,
    attempts: state.attempts,
    due_at: state.dueAt,
    heard_kind: heard?.kind ?? null,
    heard_revision: heard?.revision ?? null,
    heard_sequence: heard?.sequence ?? null,
    heard_at: heard?.at ?? null,
  }
}

/** The state of a row. */
export function stateOf(row: StateRow): NoteState {
  return {
    noteId: row.note_id,
    presence: row.presence as NoteState['presence'],
    evidence: evidenceOf(row),
    revision: row.revision,
    recordSeenAt: row.record_seen_at,
    status: row.status,
    transcriptStatus: row.transcript_status,
    summaryStatus: row.summary_status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    settledRevision: row.settled_revision,
    transcriptHeld: row.transcript_held as NoteState['transcriptHeld'],
    summaryHeld: row.summary_held as NoteState['summaryHeld'],
    dirty: row.dirty,
    hintedRevision: row.hinted_revision,
    hiddenBy: row.hidden_by,
    hiddenAt: row.hidden_at,
    floor: floorOf(row),
    contradictedSince: row.contradicted_since,
    heldByScan: row.held_by_scan,
    attempts: row.attempts ?? 0,
    dueAt: row.due_at,
    heard: heardOf(row),
  }
}

function heardOf(row: StateRow): HeardEvent | null {
  if (row.heard_kind === null) return null
  return {
    kind: row.heard_kind,
    revision: row.heard_revision,
    sequence: row.heard_sequence ?? 0,
    at: row.heard_at ?? 0,
  }
}

function floorOf(row: StateRow): DeletionFloor | null {
  if (row.floor_at === null) return null
  return { revision: row.floor_revision, at: row.floor_at, deletedAt: row.floor_deleted_at ?? row.floor_at }
}

function evidenceOf(row: StateRow): Evidence | null {
  if (row.evidence_says === null) return null
  return {
    says: row.evidence_says as Evidence['says'],
    start: row.evidence_start ?? 0,
    end: row.evidence_end ?? 0,
    source: row.evidence_source as Evidence['source'],
    at: row.evidence_at ?? 0,
  }
}
