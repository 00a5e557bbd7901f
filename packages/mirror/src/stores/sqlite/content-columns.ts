import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { SqliteRow, SqliteValue } from '@notewire/webhooks/storage'
import type { ContentParts } from '../../interfaces/note-write.ts'
import type { StoredNote } from '../../interfaces/stored-note.ts'
import { versionedState } from './note-columns.ts'
import { originalOrNull, storedOrNull } from './text.ts'

/** The columns of each part of the content. The last is NULL where there is no such part. */
export const PART_COLUMNS = {
  note: ['title', 'content', 'record'],
  summary: ['summary', 'summary_record'],
  transcript: ['transcript', 'segments', 'transcript_record'],
} as const satisfies Record<keyof ContentParts, readonly string[]>

/** The columns that `storedNote` reads beside the state's, of a table called `content` in its statement. */
export const READ_CONTENT = Object.values(PART_COLUMNS)
  .flat()
  .map((name) => `content.${name}`)
  .join(', ')

/** The columns that `recordIn` reads. */
export const READ_RECORD = PART_COLUMNS.note.map((name) => `content.${name}`).join(', ')

/** What the columns of a part hold. */
export function partValues(part: keyof ContentParts, content: ContentParts): readonly SqliteValue[] {
  switch (part) {
    case 'note':
      return noteValues(content.note ?? null)
    case 'summary':
      return summaryValues(content.summary ?? null)
    case 'transcript':
      return transcriptValues(content.transcript ?? null)
  }
}

/** Reads a row of a note and its content. */
export function storedNote(row: SqliteRow): StoredNote {
  const { summary, summary_record, transcript, segments, transcript_record } = row as unknown as ContentRow
  return {
    state: versionedState(row).state,
    note: recordIn(row),
    summary: whole<Summary>(summary_record, { markdown: originalOrNull(summary) }),
    transcript: whole<Transcript>(transcript_record, {
      text: originalOrNull(transcript),
      segments: segments === null ? null : JSON.parse(segments),
    }),
  }
}

/** Reads the record of a note. */
export function recordIn(row: SqliteRow): Note | null {
  const { title, content, record } = row as unknown as ContentRow
  return whole<Note>(record, { title: originalOrNull(title), content: originalOrNull(content) })
}

function noteValues(note: Note | null): readonly SqliteValue[] {
  return [storedOrNull(note?.title), storedOrNull(note?.content), restOf(note, ['title', 'content'])]
}

function summaryValues(summary: Summary | null): readonly SqliteValue[] {
  return [storedOrNull(summary?.markdown), restOf(summary, ['markdown'])]
}

function transcriptValues(transcript: Transcript | null): readonly SqliteValue[] {
  const segments = transcript?.segments ?? null
  return [
    storedOrNull(transcript?.text),
    segments === null ? null : JSON.stringify(segments),
    restOf(transcript, ['text', 'segments']),
  ]
}

/** A part as JSON, without what columns of their own hold of it. They do not tell what is `null` from what is absent: it does. */
function restOf<Part extends object>(part: Part | null, columns: readonly (keyof Part)[]): string | null {
  if (part === null) return null
  const rest: Partial<Part> = { ...part }
  for (const column of columns) {
    if (rest[column] !== null) rest[column] = undefined
  }
  return JSON.stringify(rest)
}

function whole<Part>(rest: string | null, columns: Readonly<Record<string, unknown>>): Part | null {
  if (rest === null) return null
  const part: Record<string, unknown> = JSON.parse(rest)
  for (const [field, value] of Object.entries(columns)) {
    if (value !== null) part[field] = value
  }
  return part as Part
}

interface ContentRow {
  readonly title: string | null
  readonly content: string | null
  readonly record: string | null
  readonly summary: string | null
  readonly summary_record: string | null
  readonly transcript: string | null
  readonly segments: string | null
  readonly transcript_record: string | null
}
