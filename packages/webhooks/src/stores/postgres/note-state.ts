import type { AppliedRevision } from '../../interfaces/revision-gate.ts'
import { appliedRevision } from '../look-result.ts'

/** SQL: what was applied to a note, as one text. Only a commit sets `seen`. */
export const NOTE_STATE = `concat(
        notes.revision, ' ', notes.deleted, ' ', notes.deleted_at_any_revision, ' ', notes.deletion_occurred_at, ' ',
        to_json(notes.seen))`

/** Reads the words of such a text. */
export function appliedIn(words: readonly string[]): AppliedRevision | undefined {
  const [revision, deleted, deletedAtAnyRevision, deletedAt, ...seen] = words
  if (!seen[0]) return undefined
  return appliedRevision({
    revision: numberIn(revision),
    deleted: deleted === 't',
    deletedAtAnyRevision: deletedAtAnyRevision === 't',
    deletedAt: numberIn(deletedAt),
    seen: JSON.parse(seen.join(' ')) as string[],
  })
}

function numberIn(word: string | undefined): number | undefined {
  return word ? Number(word) : undefined
}
