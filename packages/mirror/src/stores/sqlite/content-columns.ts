import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { SqliteRow } from '@notewire/storage'
import type { ContentParts } from '../../notes/note-write.ts'
import type { StoredNote } from '../../notes/stored-note.ts'
import { readEscapedJson } from '../escaped-text.ts'
import { versionedState } from './note-columns.ts'

/** The columns of the parts of the content, as JSON; NULL if a part is absent. The database generates the columns of their texts. */
export const PART_COLUMNS: Readonly<Record<keyof ContentParts, string>> = {
  note: 'record',
  summary: 'summary_record',
  transcript: 'transcript_record',
}

/** The columns that `storedNote` reads in addition to the state. The statement must name the table `content`. */
export const READ_CONTENT = Object.values(PART_COLUMNS)
  .map((name) => `content.${name}`)
  .join(', ')

export function storedNote(row: SqliteRow): StoredNote {
  return {
    state: versionedState(row).state,
    note: partIn<Note>(row, 'note'),
    summary: partIn<Summary>(row, 'summary'),
    transcript: partIn<Transcript>(row, 'transcript'),
  }
}

function partIn<Part>(row: SqliteRow, part: keyof ContentParts): Part | null {
  const json = row[PART_COLUMNS[part]] ?? null
  return json === null ? null : (readEscapedJson(String(json)) as Part)
}
