import type { AppliedRevision } from '../../interfaces/revision-gate.ts'
import type { SqliteRow } from '../../storage/sqlite-driver.ts'
import { appliedRevision } from '../look-result.ts'

/** SQL: the columns of what was applied to a note. */
export const NOTE_STATE = `
  note.kept_until AS note_kept_until,
  note.revision, note.deleted, note.deleted_at_any_revision, note.deletion_occurred_at, note.seen`

/** Reads these columns. */
export function appliedIn(row: SqliteRow): AppliedRevision | undefined {
  const keptUntil = row['note_kept_until']
  // Only a commit sets the time until which the state is kept.
  if (keptUntil === null || keptUntil === undefined) return undefined
  return appliedRevision({
    revision: row['revision'],
    deleted: row['deleted'] === 1,
    deletedAtAnyRevision: row['deleted_at_any_revision'] === 1,
    deletedAt: row['deletion_occurred_at'],
    seen: JSON.parse(String(row['seen'])) as string[],
  })
}
