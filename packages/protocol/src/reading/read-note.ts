import type { Note } from '../note.ts'
import { identifier, optional, record, revision, text } from './check.ts'
import { adoptId } from './identifier-alias.ts'
import { readShape } from './read-shape.ts'

const note = record({
  note_id: identifier,
  revision,
  title: optional(text),
  content: optional(text),
  status: optional(text),
  transcript_status: optional(text),
  summary_status: optional(text),
  created_at: optional(text),
  updated_at: optional(text),
  ended_at: optional(text),
  deleted_at: optional(text),
  owner: optional(record({ type: text, channel_id: optional(text) })),
})

/**
 * Reads a note of the wire (contract §2; open points 2 to 4).
 *
 * @param what  names the value in the error
 * @throws ShapeError
 */
export function readNote(resource: unknown, what = 'the note'): Note {
  return readShape(note, adoptId('note_id', resource), what)
}
