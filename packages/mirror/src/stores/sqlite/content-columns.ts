import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { SqliteRow, SqliteValue } from '@notewire/webhooks/storage'
import type { ContentParts } from '../../interfaces/note-write.ts'
import type { StoredNote } from '../../interfaces/stored-note.ts'
import { escapedText, unescapedText } from '../escaped-text.ts'
import { versionedState } from './note-columns.ts'

/** For each part: the fields that have their own column, by column name; and the column with the remaining fields as JSON. */
const PARTS = {
  note: { fields: { title: 'title', content: 'content' }, rest: 'record' },
  summary: { fields: { summary: 'markdown' }, rest: 'summary_record' },
  transcript: { fields: { transcript: 'text', segments: 'segments' }, rest: 'transcript_record' },
} as const satisfies Record<keyof ContentParts, { fields: Record<string, string>; rest: string }>

/** The columns of each part of the content. The last is NULL if the part is absent. */
export const PART_COLUMNS: Readonly<Record<keyof ContentParts, readonly string[]>> = {
  note: columnsOf('note'),
  summary: columnsOf('summary'),
  transcript: columnsOf('transcript'),
}

/** The columns that `storedNote` reads in addition to the state. The statement must name the table `content`. */
export const READ_CONTENT = Object.values(PART_COLUMNS)
  .flat()
  .map((name) => `content.${name}`)
  .join(', ')

/** The columns that `recordIn` reads. */
export const READ_RECORD = PART_COLUMNS.note.map((name) => `content.${name}`).join(', ')

/** The values of a part's columns. A column does not distinguish `null` from absent; the JSON does. */
export function partValues(name: keyof ContentParts, content: ContentParts): readonly SqliteValue[] {
  const part = content[name] as Readonly<Record<string, unknown>> | null | undefined
  const rest: Record<string, unknown> = { ...part }
  const values = Object.values(PARTS[name].fields).map((field) => {
    const value = part?.[field] ?? null
    if (value === null) return null
    rest[field] = undefined
    return field === 'segments' ? JSON.stringify(value) : escapedText(String(value))
  })
  return [...values, part ? JSON.stringify(rest) : null]
}

export function storedNote(row: SqliteRow): StoredNote {
  return {
    state: versionedState(row).state,
    note: recordIn(row),
    summary: partIn<Summary>(row, 'summary'),
    transcript: partIn<Transcript>(row, 'transcript'),
  }
}

export function recordIn(row: SqliteRow): Note | null {
  return partIn<Note>(row, 'note')
}

function partIn<Part>(row: SqliteRow, name: keyof ContentParts): Part | null {
  const { fields, rest } = PARTS[name]
  if (row[rest] === null) return null
  const part: Record<string, unknown> = JSON.parse(String(row[rest]))
  for (const [column, field] of Object.entries(fields)) {
    const value = row[column]
    if (typeof value === 'string') part[field] = field === 'segments' ? JSON.parse(value) : unescapedText(value)
  }
  return part as Part
}

function columnsOf(name: keyof ContentParts): readonly string[] {
  const { fields, rest } = PARTS[name]
  return [...Object.keys(fields), rest]
}
