import type { SqliteRow, SqliteValue } from '@notewire/webhooks/sqlite'
import type { Evidence, HeldContent, NoteState, Presence } from '../../rules/note-state.ts'
import type { VersionedState } from '../store.ts'
import { originalOrNull, originalText, storedOrNull } from './text.ts'

/** The columns of a note's state, but for its identifier, and what each of them holds. */
const COLUMNS: readonly (readonly [name: string, of: (state: NoteState) => SqliteValue])[] = [
  ['presence', ({ presence }) => presence],
  ['evidence_says', ({ evidence }) => evidence?.says ?? null],
  ['evidence_start', ({ evidence }) => evidence?.start ?? 0],
  ['evidence_end', ({ evidence }) => evidence?.end ?? null],
  ['evidence_source', ({ evidence }) => evidence?.source ?? null],
  ['evidence_at', ({ evidence }) => evidence?.at ?? null],
  ['revision', ({ revision }) => revision],
  ['status', ({ status }) => storedOrNull(status)],
  ['transcript_status', ({ transcriptStatus }) => storedOrNull(transcriptStatus)],
  ['summary_status', ({ summaryStatus }) => storedOrNull(summaryStatus)],
  ['created_at', ({ createdAt }) => storedOrNull(createdAt)],
  ['updated_at', ({ updatedAt }) => storedOrNull(updatedAt)],
  ['settled_revision', ({ settledRevision }) => settledRevision],
  ['transcript_held', ({ transcriptHeld }) => transcriptHeld],
  ['summary_held', ({ summaryHeld }) => summaryHeld],
  ['dirty', ({ dirty }) => dirty],
  ['hinted_revision', ({ hintedRevision }) => hintedRevision],
  ['hidden_by', ({ hiddenBy }) => hiddenBy],
  ['hidden_at', ({ hiddenAt }) => hiddenAt],
  ['held_by_scan', ({ heldByScan }) => storedOrNull(heldByScan)],
  ['attempts', ({ attempts }) => attempts],
  ['due_at', ({ dueAt }) => dueAt],
  ['heard_kind', ({ heard }) => storedOrNull(heard?.kind)],
  ['heard_revision', ({ heard }) => heard?.revision ?? null],
  ['heard_sequence', ({ heard }) => heard?.sequence ?? null],
  ['heard_at', ({ heard }) => heard?.at ?? null],
]

/** The names of the columns, in the order of `noteValues`. */
export const NOTE_COLUMNS: readonly string[] = COLUMNS.map(([name]) => name)

/** The columns that `versionedState` reads, of a table called `note` in its statement. */
export const READ_STATE = ['note_id', 'version', ...NOTE_COLUMNS].map((name) => `note.${name}`).join(', ')

/** What the columns of a state hold. */
export function noteValues(state: NoteState): readonly SqliteValue[] {
  return COLUMNS.map(([, of]) => of(state))
}

/** Reads a row of notes. */
export function versionedState(row: SqliteRow): VersionedState {
  return { state: stateIn(row as unknown as NoteRow), version: Number(row['version']) }
}

function stateIn(row: NoteRow): NoteState {
  return {
    noteId: originalText(row.note_id),
    presence: row.presence,
    evidence: row.evidence_says === null ? null : evidenceIn(row, row.evidence_says),
    revision: row.revision,
    status: originalOrNull(row.status),
    transcriptStatus: originalOrNull(row.transcript_status),
    summaryStatus: originalOrNull(row.summary_status),
    createdAt: originalOrNull(row.created_at),
    updatedAt: originalOrNull(row.updated_at),
    settledRevision: row.settled_revision,
    transcriptHeld: row.transcript_held,
    summaryHeld: row.summary_held,
    dirty: row.dirty,
    hintedRevision: row.hinted_revision,
    hiddenBy: row.hidden_by,
    hiddenAt: row.hidden_at,
    heldByScan: originalOrNull(row.held_by_scan),
    attempts: row.attempts,
    dueAt: row.due_at,
    heard:
      row.heard_kind === null
        ? null
        : {
            kind: originalText(row.heard_kind),
            revision: row.heard_revision,
            sequence: row.heard_sequence,
            at: row.heard_at,
          },
  }
}

function evidenceIn(row: NoteRow, says: Evidence['says']): Evidence {
  return {
    says,
    start: row.evidence_start,
    end: row.evidence_end,
    source: row.evidence_source,
    at: row.evidence_at,
  }
}

interface NoteRow {
  readonly note_id: string
  readonly presence: Presence
  readonly evidence_says: Evidence['says'] | null
  readonly evidence_start: number
  readonly evidence_end: number
  readonly evidence_source: Evidence['source']
  readonly evidence_at: number
  readonly revision: number | null
  readonly status: string | null
  readonly transcript_status: string | null
  readonly summary_status: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly settled_revision: number | null
  readonly transcript_held: HeldContent
  readonly summary_held: HeldContent
  readonly dirty: number | null
  readonly hinted_revision: number | null
  readonly hidden_by: number | null
  readonly hidden_at: number | null
  readonly held_by_scan: string | null
  readonly attempts: number
  readonly due_at: number | null
  readonly heard_kind: string | null
  readonly heard_revision: number | null
  readonly heard_sequence: number
  readonly heard_at: number
}
