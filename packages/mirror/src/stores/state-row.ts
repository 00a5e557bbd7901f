import type { DeletionFloor, Evidence, HeardEvent, NoteState } from '../interfaces/note-state.ts'

/** The columns of a note's state in SQL, without its identifier: name, type and value. A `time` is milliseconds since the Unix epoch. */
// `numeric` stores any number that the service sends as a revision in an event of an unknown kind.
export const STATE_COLUMNS = [
  ['presence', 'text', ({ presence }) => presence],
  ['evidence_says', 'text', ({ evidence }) => evidence?.says],
  ['evidence_start', 'bigint', ({ evidence }) => evidence?.start],
  ['evidence_end', 'bigint', ({ evidence }) => evidence?.end],
  ['evidence_source', 'text', ({ evidence }) => evidence?.source],
  ['evidence_at', 'time', ({ evidence }) => evidence?.at],
  ['revision', 'bigint', ({ revision }) => revision],
  ['record_seen_at', 'time', ({ recordSeenAt }) => recordSeenAt],
  ['status', 'text', ({ status }) => status],
  ['transcript_status', 'text', ({ transcriptStatus }) => transcriptStatus],
  ['summary_status', 'text', ({ summaryStatus }) => summaryStatus],
  ['created_at', 'text', ({ createdAt }) => createdAt],
  ['updated_at', 'text', ({ updatedAt }) => updatedAt],
  ['settled_revision', 'bigint', ({ settledRevision }) => settledRevision],
  ['transcript_held', 'text', ({ transcriptHeld }) => transcriptHeld],
  ['summary_held', 'text', ({ summaryHeld }) => summaryHeld],
  ['dirty', 'bigint', ({ dirty }) => dirty],
  ['hinted_revision', 'numeric', ({ hintedRevision }) => hintedRevision],
  ['hidden_by', 'bigint', ({ hiddenBy }) => hiddenBy],
  ['hidden_at', 'time', ({ hiddenAt }) => hiddenAt],
  ['floor_revision', 'numeric', ({ floor }) => floor?.revision],
  ['floor_at', 'time', ({ floor }) => floor?.at],
  ['floor_deleted_at', 'time', ({ floor }) => floor?.deletedAt],
  ['floor_unrevised_at', 'time', ({ floor }) => floor?.unrevisedAt],
  ['contradicted_since', 'time', ({ contradictedSince }) => contradictedSince],
  ['held_by_scan', 'text', ({ heldByScan }) => heldByScan],
  ['attempts', 'bigint', ({ attempts }) => attempts],
  ['failures', 'bigint', ({ failures }) => failures],
  ['due_at', 'time', ({ dueAt }) => dueAt],
  ['heard_kind', 'text', ({ heard }) => heard?.kind],
  ['heard_revision', 'numeric', ({ heard }) => heard?.revision],
  ['heard_sequence', 'bigint', ({ heard }) => heard?.sequence],
  ['heard_at', 'time', ({ heard }) => heard?.at],
] as const satisfies readonly StateColumn[]

/** The columns that a stamp changes. */
export const EVIDENCE_COLUMNS = STATE_COLUMNS.filter(([name]) => name.startsWith('evidence_'))

type StateColumn =
  | readonly [name: string, type: 'text', valueIn: (state: NoteState) => string | null | undefined]
  | readonly [
      name: string,
      type: 'bigint' | 'numeric' | 'time',
      valueIn: (state: NoteState) => number | null | undefined,
    ]

/** The row of a note's state: values by column name. */
export type StateRow = { readonly note_id: string } & {
  readonly [Column in (typeof STATE_COLUMNS)[number] as Column[0]]: Column[1] extends 'text'
    ? string | null
    : number | null
}

export function rowOf(state: NoteState): StateRow {
  const values = STATE_COLUMNS.map(([name, , valueIn]) => [name, valueIn(state) ?? null])
  return { note_id: state.noteId, ...Object.fromEntries(values) }
}

/** The columns of a stamp. */
export function evidenceRow(state: NoteState): Readonly<Record<string, string | number | null>> {
  return Object.fromEntries(EVIDENCE_COLUMNS.map(([name, , valueIn]) => [name, valueIn(state) ?? null]))
}

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
    failures: row.failures ?? 0,
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
  return {
    revision: row.floor_revision,
    at: row.floor_at,
    deletedAt: row.floor_deleted_at ?? row.floor_at,
    unrevisedAt: row.floor_unrevised_at,
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
