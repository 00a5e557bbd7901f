import type { SqliteRow, SqliteValue } from '@notewire/webhooks/storage'
import type { NoteState } from '../../interfaces/note-state.ts'
import type { VersionedState } from '../../interfaces/store.ts'
import { escapedText, unescapedText } from '../escaped-text.ts'
import { STATE_COLUMNS, type StateRow, stateOf } from '../state-row.ts'

/** The names of a state's columns, in the order of `noteValues`. */
export const NOTE_COLUMNS: readonly string[] = STATE_COLUMNS.map(([name]) => name)

/** The columns that `versionedState` reads. The statement must name the table `note`. */
export const READ_STATE = ['note_id', 'version', ...NOTE_COLUMNS].map((name) => `note.${name}`).join(', ')

/** The values of a state's columns. */
export function noteValues(state: NoteState): readonly SqliteValue[] {
  return STATE_COLUMNS.map(([name, , valueIn]) => {
    // The index of candidates needs a number even before the first read.
    const value = valueIn(state) ?? (name === 'evidence_start' ? 0 : null)
    return typeof value === 'string' ? escapedText(value) : value
  })
}

const TEXTS = ['note_id', ...STATE_COLUMNS.filter(([, type]) => type === 'text').map(([name]) => name)]

export function versionedState(found: SqliteRow): VersionedState {
  const row: Record<string, unknown> = { ...found }
  for (const name of TEXTS) {
    const text = row[name]
    if (typeof text === 'string') row[name] = unescapedText(text)
  }
  return { state: stateOf(row as StateRow), version: Number(found['version']) }
}
