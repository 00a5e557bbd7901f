import type { SqliteRow, SqliteStatement } from '@notewire/storage'
import { raw } from 'sql-template-tag'
import { escapedText, readEscapedJson } from '../escaped-text.ts'
import type { LoadedNotes, LoadedProgress } from '../mirror-store.ts'
import { type StoredProgress, withProgress } from '../progress-json.ts'
import { progressIn } from '../sql/copy-state.ts'
import { dialect } from './dialect.ts'
import { READ_STATE, versionedState } from './note-columns.ts'

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
  const copy = readEscapedJson(String(mirrors?.[0]?.['result'])) as StoredProgress<LoadedProgress>
  return { ...withProgress(copy), notes: new Map(notes.map((note) => [note.state.noteId, note])) }
}

/** The fields of `LoadedProgress`. */
const LOADED = dialect.object({
  sequence: raw('sequence'),
  progress: dialect.json(progressIn(raw('progress'))),
  heardAt: raw('heard_at'),
})

const ADVANCE = `
  INSERT INTO notewire_mirrors (integration, sequence, position, progress_version) VALUES (?, 1, 0, 0)
  ON CONFLICT (integration) DO UPDATE SET sequence = sequence + 1
  RETURNING ${LOADED.sql} AS result`

/**
 * Advances the sequence and the position of an integration by a million. A power cut may undo the latest commits, except those that acknowledge an
 * event, so numbers that callers already hold could be assigned again. Each process avoids this by skipping a million numbers with its first write
 * of an integration. Parameter: integration.
 */
export const SKIP_NUMBERS = `
  UPDATE notewire_mirrors SET sequence = sequence + 1000000, position = position + 1000000 WHERE integration = ?`

const READ_NOTES = `
  SELECT ${READ_STATE} FROM json_each(?) AS wanted
  CROSS JOIN notewire_mirror_notes AS note ON note.integration = ? AND note.note_id = wanted.value`
