import { escapedText } from '../escaped-text.ts'
import type { DueNotes, DueRequest } from '../mirror-store.ts'
import type { ErasingDatabase } from './database.ts'
import { READ_STATE, versionedState } from './note-columns.ts'

/** Reads due notes, and waits for no lock. */
// The sequence is read after the notes: a hint that the first statement sees has a sequence number that is not greater.
export async function readDue(
  database: ErasingDatabase,
  name: string,
  { dueBy, limit, except = [] }: DueRequest,
): Promise<DueNotes> {
  const integration = escapedText(name)
  const ofKind = [integration, dueBy, limit]
  const parameters = [JSON.stringify(except.map(escapedText)), ...ofKind, ...ofKind, limit]
  const due = limit === 0 ? [] : (await database.read({ sql: READ_DUE, parameters })).map(versionedState)
  const others = JSON.stringify([...except, ...due.map(({ state }) => state.noteId)].map(escapedText))
  const [row] = await database.read({ sql: READ_NEXT, parameters: [others, integration, integration, integration] })
  return { sequence: Number(row?.['sequence']), nextDueAt: (row?.['next_due_at'] ?? null) as number | null, notes: due }
}

const leftOut = 'note_id NOT IN (SELECT note_id FROM left_out)'

const dueOf = (kind: 'dirty' | 'clean') => `
  SELECT row_id, due_at, dirty IS NULL AS is_clean FROM notewire_mirror_notes
  WHERE integration = ? AND (dirty IS NULL) = ${Number(kind === 'clean')} AND due_at <= ? AND ${leftOut}
  ORDER BY due_at, row_id LIMIT ?`

const READ_DUE = `
  WITH left_out (note_id) AS (SELECT value FROM json_each(?)),
  due AS (
    SELECT * FROM (${dueOf('dirty')}) UNION ALL SELECT * FROM (${dueOf('clean')})
    ORDER BY is_clean, due_at, row_id LIMIT ?
  )
  SELECT ${READ_STATE} FROM due
  CROSS JOIN notewire_mirror_notes AS note ON note.row_id = due.row_id
  ORDER BY due.is_clean, due.due_at, due.row_id`

const earliestOf = (kind: 'dirty' | 'clean') => `
  SELECT * FROM (
    SELECT due_at FROM notewire_mirror_notes
    WHERE integration = ? AND (dirty IS NULL) = ${Number(kind === 'clean')} AND due_at IS NOT NULL AND ${leftOut}
    ORDER BY due_at LIMIT 1
  )`

const READ_NEXT = `
  WITH left_out (note_id) AS (SELECT value FROM json_each(?)),
  earliest (due_at) AS (${earliestOf('dirty')} UNION ALL ${earliestOf('clean')})
  SELECT
    (SELECT min(due_at) FROM earliest) AS next_due_at,
    coalesce((SELECT sequence FROM notewire_mirrors WHERE integration = ?), 0) AS sequence`
