import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/storage'
import { type CopyState, type MirrorProgress, NO_PROGRESS } from '../../interfaces/progress.ts'
import type { LoadedNotes, LoadedProgress } from '../../interfaces/store.ts'
import { escapedText } from '../escaped-text.ts'
import { READ_STATE, versionedState } from './note-columns.ts'

/** Makes the statements that advance the sequence, and read progress and notes. */
export function loadStatements(integration: string, noteIds: readonly string[]): readonly SqliteStatement[] {
  return [
    { sql: ADVANCE, parameters: [escapedText(integration)] },
    ...(noteIds.length === 0
      ? []
      : [{ sql: READ_NOTES, parameters: [JSON.stringify(noteIds.map(escapedText)), escapedText(integration)] }]),
  ]
}

export function loadedNotes([mirrors, rows = []]: readonly SqliteRow[][]): LoadedNotes {
  const notes = rows.map(versionedState)
  return { ...loadedProgress(mirrors?.[0]), notes: new Map(notes.map((note) => [note.state.noteId, note])) }
}

export function copyState([row]: readonly SqliteRow[]): CopyState {
  return {
    ...loadedProgress(row),
    nextDueAt: (row?.['next_due_at'] ?? null) as number | null,
    hiddenSince: (row?.['hidden_since'] ?? null) as number | null,
  }
}

/** Reads the progress from the row of an integration, which does not exist before its first write. */
function loadedProgress(row: SqliteRow | undefined): LoadedProgress {
  const progress = row?.['progress']
  return {
    sequence: Number(row?.['sequence'] ?? 0),
    progress: typeof progress === 'string' ? (JSON.parse(progress) as MirrorProgress) : NO_PROGRESS,
    progressVersion: Number(row?.['progress_version'] ?? 0),
    heardAt: (row?.['heard_at'] ?? null) as number | null,
  }
}

const PROGRESS_COLUMNS = 'sequence, progress, progress_version, heard_at'

const ADVANCE = `
  INSERT INTO notewire_mirrors (integration, sequence, position, progress_version) VALUES (?, 1, 0, 0)
  ON CONFLICT (integration) DO UPDATE SET sequence = sequence + 1
  RETURNING ${PROGRESS_COLUMNS}`

const firstOf = (column: string, isCounted: string) => `
  SELECT note.${column} FROM notewire_mirror_notes AS note
  WHERE note.integration = mirrors.integration AND ${isCounted} AND note.${column} IS NOT NULL ORDER BY note.${column} LIMIT 1`

/** Parameter: integration. */
// `next_due_at` is 0 while a note waits to be indexed, because `takeDue` indexes it.
export const READ_PROGRESS = `
  SELECT mirrors.sequence, progress, progress_version, mirrors.heard_at,
    CASE WHEN EXISTS (SELECT 1 FROM notewire_mirror_content WHERE is_indexed = 0) THEN 0 ELSE (
      SELECT min(due_at) FROM (
        SELECT * FROM (${firstOf('due_at', '(note.dirty IS NULL) = 0')})
        UNION ALL SELECT * FROM (${firstOf('due_at', '(note.dirty IS NULL) = 1')}))
    ) END AS next_due_at,
    (${firstOf('hidden_at', "note.presence = 'hidden'")}) AS hidden_since
  FROM notewire_mirrors AS mirrors WHERE mirrors.integration = ?`

const READ_NOTES = `
  SELECT ${READ_STATE} FROM json_each(?) AS wanted
  CROSS JOIN notewire_mirror_notes AS note ON note.integration = ? AND note.note_id = wanted.value`
