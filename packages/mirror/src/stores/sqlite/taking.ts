import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/storage'
import type { DueNotes, DueRequest } from '../../interfaces/store.ts'
import { READ_RECORD, recordIn } from './content-columns.ts'
import { READ_STATE, versionedState } from './note-columns.ts'
import { storedText } from './text.ts'

/** Takes what is due, and looks for what is due next. */
export function takeStatements(integrationName: string, { now, until, limit }: DueRequest): readonly SqliteStatement[] {
  const integration = storedText(integrationName)
  const due = [integration, now, limit, integration, now, limit, limit]
  const look = { sql: LOOK_AHEAD, parameters: [...due, integration, integration, integration] }
  if (limit === 0) return [look]
  return [look, { sql: READ_DUE, parameters: due }, { sql: POSTPONE, parameters: [...due, until] }]
}

/** Reads what the statements above answered. */
export function takenNotes([ahead, rows = []]: readonly SqliteRow[][], { until }: DueRequest): DueNotes {
  const { sequence, next_due_at } = ahead?.[0] ?? {}
  return {
    sequence: Number(sequence),
    nextDueAt: (next_due_at ?? null) as number | null,
    notes: rows.map((row) => {
      const { state, version } = versionedState(row)
      return { state: { ...state, dueAt: until }, version: version + 1, note: recordIn(row) }
    }),
  }
}

const dueOf = (kind: 'dirty' | 'clean') => `
  SELECT row_id, due_at, dirty IS NULL AS is_clean FROM notewire_mirror_notes
  WHERE integration = ? AND (dirty IS NULL) = ${Number(kind === 'clean')} AND due_at <= ?
  ORDER BY due_at, row_id LIMIT ?`

// The same rows in each statement of a transaction: one that returned what it updates would forget the order.
const DUE = `
  WITH due AS (
    SELECT * FROM (${dueOf('dirty')}) UNION ALL SELECT * FROM (${dueOf('clean')})
    ORDER BY is_clean, due_at, row_id LIMIT ?
  )`

const READ_DUE = `${DUE}
  SELECT ${READ_STATE}, ${READ_RECORD} FROM due
  CROSS JOIN notewire_mirror_notes AS note ON note.row_id = due.row_id
  LEFT JOIN notewire_mirror_content AS content ON content.row_id = due.row_id
  ORDER BY due.is_clean, due.due_at, due.row_id`

const POSTPONE = `${DUE}
  UPDATE notewire_mirror_notes SET due_at = ?, version = version + 1 WHERE row_id IN (SELECT row_id FROM due)`

const earliestOf = (kind: 'dirty' | 'clean') => `(
  SELECT due_at FROM notewire_mirror_notes
  WHERE integration = ? AND (dirty IS NULL) = ${Number(kind === 'clean')} AND due_at IS NOT NULL
    AND row_id NOT IN (SELECT row_id FROM due)
  ORDER BY due_at LIMIT 1
)`

const LOOK_AHEAD = `${DUE}, earliest (due_at) AS (SELECT ${earliestOf('dirty')} UNION ALL SELECT ${earliestOf('clean')})
  SELECT
    (SELECT min(due_at) FROM earliest) AS next_due_at,
    coalesce((SELECT sequence FROM notewire_mirrors WHERE integration = ?), 0) AS sequence`
