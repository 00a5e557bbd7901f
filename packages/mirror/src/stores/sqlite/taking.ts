import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/storage'
import type { DueNotes, DueRequest } from '../../interfaces/store.ts'
import { escapedText } from '../escaped-text.ts'
import { guardNotes } from './committing.ts'
import { READ_RECORD, recordIn } from './content-columns.ts'
import { READ_STATE, versionedState } from './note-columns.ts'

/** Makes the statement that reads due notes. */
export function dueStatement(integrationName: string, { now, dueBy = now, limit }: DueRequest): SqliteStatement {
  const integration = escapedText(integrationName)
  return { sql: READ_DUE, parameters: [integration, dueBy, limit, integration, dueBy, limit, limit] }
}

/** Makes the statements that take the given rows, unless another process has written them meanwhile, and read when the next note is due. */
export function takeStatements(
  integrationName: string,
  due: readonly SqliteRow[],
  { until }: DueRequest,
): readonly SqliteStatement[] {
  const integration = escapedText(integrationName)
  const rowIds = JSON.stringify(due.map(({ row_id }) => row_id))
  const readNext = { sql: READ_NEXT, parameters: [rowIds, integration, integration, integration] }
  if (due.length === 0) return [readNext]
  const versions = due.map(({ note_id, version }) => [String(note_id), Number(version)] as const)
  return [guardNotes(integration, versions), { sql: POSTPONE, parameters: [until, rowIds] }, readNext]
}

/** Combines the rows that were taken with the results of `takeStatements`. */
export function takenNotes(
  due: readonly SqliteRow[],
  answers: readonly SqliteRow[][],
  { until }: DueRequest,
): DueNotes {
  const { sequence, next_due_at } = answers.at(-1)?.[0] ?? {}
  return {
    sequence: Number(sequence),
    nextDueAt: (next_due_at ?? null) as number | null,
    notes: due.map((row) => {
      const { state, version } = versionedState(row)
      return { state: { ...state, dueAt: until }, version: version + 1, note: recordIn(row) }
    }),
  }
}

const dueOf = (kind: 'dirty' | 'clean') => `
  SELECT row_id, due_at, dirty IS NULL AS is_clean FROM notewire_mirror_notes
  WHERE integration = ? AND (dirty IS NULL) = ${Number(kind === 'clean')} AND due_at <= ?
  ORDER BY due_at, row_id LIMIT ?`

const READ_DUE = `
  WITH due AS (
    SELECT * FROM (${dueOf('dirty')}) UNION ALL SELECT * FROM (${dueOf('clean')})
    ORDER BY is_clean, due_at, row_id LIMIT ?
  )
  SELECT due.row_id, ${READ_STATE}, ${READ_RECORD} FROM due
  CROSS JOIN notewire_mirror_notes AS note ON note.row_id = due.row_id
  LEFT JOIN notewire_mirror_content AS content ON content.row_id = due.row_id
  ORDER BY due.is_clean, due.due_at, due.row_id`

const POSTPONE = `
  UPDATE notewire_mirror_notes SET due_at = ?, version = version + 1 WHERE row_id IN (SELECT value FROM json_each(?))`

const earliestOf = (kind: 'dirty' | 'clean') => `
  SELECT * FROM (
    SELECT due_at FROM notewire_mirror_notes
    WHERE integration = ? AND (dirty IS NULL) = ${Number(kind === 'clean')} AND due_at IS NOT NULL
      AND row_id NOT IN (SELECT row_id FROM taken)
    ORDER BY due_at LIMIT 1
  )`

const READ_NEXT = `
  WITH taken (row_id) AS (SELECT value FROM json_each(?)),
  earliest (due_at) AS (${earliestOf('dirty')} UNION ALL ${earliestOf('clean')})
  SELECT
    (SELECT min(due_at) FROM earliest) AS next_due_at,
    coalesce((SELECT sequence FROM notewire_mirrors WHERE integration = ?), 0) AS sequence`
