import type { Evidence, HeardEvent, NoteState } from '../../rules/note-state.ts'
import type { STATE_COLUMNS } from './note-columns.ts'

/** A note's state as it travels: its columns by their names. */
export type StateRow = { readonly note_id: string } & {
  readonly [Column in (typeof STATE_COLUMNS)[number] as Column[0]]: Column[1] extends 'text'
    ? string | null
    : number | null
}

/** Spreads a state over its columns. */
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
    held_by_scan: state.heldByScan,
    attempts: state.attempts,
    due_at: state.dueAt,
    heard_kind: heard?.kind ?? null,
    heard_revision: heard?.revision ?? null,
    heard_sequence: heard?.sequence ?? null,
    heard_at: heard?.at ?? null,
  }
}

/** Gathers a state from its columns. */
export function stateOf(row: StateRow): NoteState {
  return {
    noteId: row.note_id,
    presence: row.presence as NoteState['presence'],
    evidence: evidenceOf(row),
    revision: row.revision,
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
