import type { Note } from '@notewire/protocol'
import type { DueNotes, DueRequest } from '../../interfaces/store.ts'
import { escapedText } from '../escaped-text.ts'
import { guardNotes, isConflict } from './committing.ts'
import { PART_COLUMNS, partIn } from './content-columns.ts'
import type { ErasingDatabase } from './database.ts'
import { READ_STATE, versionedState } from './note-columns.ts'

/**
 * Takes due notes. The first read takes no lock, because most calls find no due note. If another process takes the notes meanwhile, it reads
 * again.
 */
export async function takeDue(database: ErasingDatabase, name: string, request: DueRequest): Promise<DueNotes> {
  const { dueBy, limit, until } = request
  const integration = escapedText(name)
  for (;;) {
    const parameters = [integration, dueBy, limit, integration, dueBy, limit, limit]
    const due = limit === 0 ? [] : await database.read({ sql: READ_DUE, parameters })
    const versions = due.map(({ note_id, version }) => [String(note_id), Number(version)] as const)
    const rowIds = JSON.stringify(due.map(({ row_id }) => row_id))
    const take = [guardNotes(integration, versions), { sql: POSTPONE, parameters: [until, rowIds] }]
    const readNext = { sql: READ_NEXT, parameters: [rowIds, integration, integration, integration] }
    try {
      const answers = await database.run([...(due.length === 0 ? [] : take), readNext], 'process')
      const { sequence, next_due_at } = answers.at(-1)?.[0] ?? {}
      return {
        sequence: Number(sequence),
        nextDueAt: (next_due_at ?? null) as number | null,
        notes: due.map((row) => {
          const { state, version, digests } = versionedState(row)
          return { state: { ...state, dueAt: until }, version: version + 1, digests, note: partIn<Note>(row, 'note') }
        }),
      }
    } catch (error) {
      if (!isConflict(error)) throw error
    }
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
  SELECT due.row_id, ${READ_STATE}, content.${PART_COLUMNS.note} FROM due
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
