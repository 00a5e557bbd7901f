import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/sqlite'
import type { ChangedNote } from '../store.ts'
import { READ_CONTENT } from './content-columns.ts'
import { READ_STATE, versionedState } from './note-columns.ts'
import { storedText } from './text.ts'

const WITH_CONTENT = 'LEFT JOIN notewire_mirror_content AS content ON content.row_id = note.row_id'

/** Reads one note with its content. */
export function readNote(scope: string, noteId: string): SqliteStatement {
  return { sql: READ_NOTE, parameters: [storedText(scope), storedText(noteId)] }
}

const READ_NOTE = `
  SELECT ${READ_STATE}, ${READ_CONTENT} FROM notewire_mirror_notes AS note ${WITH_CONTENT}
  WHERE note.scope = ? AND note.note_id = ?`

/** Lists live notes with their content. */
export function listNotes(scope: string, after: string, limit: number): SqliteStatement {
  return { sql: LIST_NOTES, parameters: [storedText(scope), storedText(after), limit] }
}

const LIST_NOTES = `
  SELECT ${READ_STATE}, ${READ_CONTENT}
  FROM notewire_mirror_notes AS note INDEXED BY notewire_mirror_notes_by_id ${WITH_CONTENT}
  WHERE note.scope = ? AND note.note_id > ? AND note.presence = 'live'
  ORDER BY note.note_id LIMIT ?`

/** Finds live notes by words. */
export function searchNotes(scope: string, words: readonly string[], limit: number): SqliteStatement {
  return { sql: SEARCH, parameters: [words.map(phrase).join(' '), storedText(scope), limit] }
}

// In quotes, nothing in a word means anything to the query language.
function phrase(word: string): string {
  return `"${storedText(word).replaceAll('"', '""')}"`
}

// The index hands notes out by rank: the search ends with the last that is wanted.
const SEARCH = `
  SELECT ${READ_STATE}, ${READ_CONTENT} FROM notewire_mirror_search AS found
  CROSS JOIN notewire_mirror_notes AS note ON note.row_id = found.rowid
  ${WITH_CONTENT}
  WHERE notewire_mirror_search MATCH ? AND note.scope = ? AND note.presence = 'live'
  ORDER BY found.rank LIMIT ?`

/** Lists changes behind a position. */
export function listChanges(scope: string, after: number, limit: number): SqliteStatement {
  return { sql: LIST_CHANGES, parameters: [storedText(scope), after, limit] }
}

const LIST_CHANGES = `
  SELECT ${READ_STATE}, note.position, note.visible_since, note.first_visible FROM notewire_mirror_notes AS note
  WHERE note.scope = ? AND note.position > ?
  ORDER BY note.position LIMIT ?`

/** Reads a row of changes. */
export function changedNote(row: SqliteRow): ChangedNote {
  const { state } = versionedState(row)
  const { position, visible_since, first_visible } = row
  return {
    state,
    position: Number(position),
    visibleSince: Number(visible_since),
    firstVisible: first_visible as number | null,
  }
}

/** Reads the position of the latest change. */
export function readPosition(scope: string): SqliteStatement {
  return { sql: 'SELECT position FROM notewire_mirrors WHERE scope = ?', parameters: [storedText(scope)] }
}

/** Reads what that answered: nothing, before anything was written. */
export function latestPosition([row]: readonly SqliteRow[]): number {
  return Number(row?.['position'] ?? 0)
}
