import type { Transcript } from '../transcript.ts'
import { identifier, list, number, optional, record, revision, text } from './check.ts'
import { adoptId } from './identifier-alias.ts'
import { readShape } from './read-shape.ts'

const segment = record({ speaker: optional(text), start_ms: optional(number), end_ms: optional(number), text })

const transcript = record({
  note_id: identifier,
  revision: optional(revision),
  text,
  segments: optional(list(segment)),
})

/**
 * Reads a transcript of the wire (contract §2; open point 9).
 *
 * @throws ShapeError
 */
export function readTranscript(resource: unknown): Transcript {
  return readShape(transcript, adoptId('note_id', resource), 'the transcript')
}
