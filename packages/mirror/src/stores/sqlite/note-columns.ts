import type { SqliteRow, SqliteValue } from '@notewire/webhooks/storage'
import type { NoteState } from '../../interfaces/note-state.ts'
import type { VersionedState } from '../../interfaces/store.ts'
import { rowOf, STATE_COLUMNS, type StateRow, stateOf } from '../state-row.ts'
import { originalOrNull, originalText, storedOrNull } from './text.ts'

/** The names of a state's columns, in the order of `noteValues`. */
export const NOTE_COLUMNS: readonly string[] = STATE_COLUMNS.map(([name]) => name)

/** The columns that `versionedState` reads, of a table called `note` in its statement. */
export const READ_STATE = ['note_id', 'version', ...NOTE_COLUMNS].map((name) => `note.${name}`).join(', ')

/** What the columns of a state hold. */
export function noteValues(state: NoteState): readonly SqliteValue[] {
  const row = rowOf(state)
  // The index of candidates needs a number, also before the first read.
  const stored = { ...row, evidence_start: row.evidence_start ?? 0 }
  return STATE_COLUMNS.map(([name, type]) => (type === 'text' ? storedOrNull(stored[name]) : stored[name]))
}

/** Reads a row of notes. */
export function versionedState(found: SqliteRow): VersionedState {
  const row = found as StateRow
  const state = stateOf({
    ...row,
    note_id: originalText(row.note_id),
    status: originalOrNull(row.status),
    transcript_status: originalOrNull(row.transcript_status),
    summary_status: originalOrNull(row.summary_status),
    created_at: originalOrNull(row.created_at),
    updated_at: originalOrNull(row.updated_at),
    held_by_scan: originalOrNull(row.held_by_scan),
    heard_kind: originalOrNull(row.heard_kind),
  })
  return { state, version: Number(found['version']) }
}
