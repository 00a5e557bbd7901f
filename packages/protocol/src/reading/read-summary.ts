import type { Summary } from '../summary.ts'
import { identifier, optional, record, revision, text } from './check.ts'
import { adoptId } from './identifier-alias.ts'
import { readShape } from './read-shape.ts'

const summary = record({
  note_id: identifier,
  revision: optional(revision),
  status: optional(text),
  markdown: optional(text),
})

/**
 * Reads a summary of the wire (contract §2; open point 10). Without `markdown` there is none yet: it reads as `null`.
 *
 * @throws ShapeError
 */
export function readSummary(resource: unknown): Summary {
  const read = readShape<Summary>(summary, adoptId('note_id', resource), 'the summary')
  return read.markdown === undefined ? { ...read, markdown: null } : read
}
