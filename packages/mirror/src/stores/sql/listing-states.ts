import { empty, type Sql } from 'sql-template-tag'
import { erasedNote, LATEST_HIDDEN_MS } from '../../notes/note-state.ts'
import { escapedJson } from '../escaped-text.ts'
import type { ChangedNote, StatesQuery } from '../mirror-store.ts'
import { type StoredState, stateJson, withState } from '../state-json.ts'
import { runOf } from './feed.ts'
import { storedState } from './note-states.ts'
import { resultOf, sql } from './sql.ts'
import type { SqlDatabase } from './sql-database.ts'

const ERASED = escapedJson(stateJson(erasedNote('')))

/**
 * Lists the states of some notes.
 *
 * @param index  what follows the name of the table, to choose the index
 */
export async function listStates(
  database: SqlDatabase,
  integration: string,
  query: StatesQuery,
  index = empty,
): Promise<readonly ChangedNote[]> {
  const { dialect, read } = database
  const run = 'changedAfter' in query ? { run: runOf(sql`note.integration`, sql`note.position`) } : {}
  const row = dialect.object({
    state: storedState(dialect),
    position: sql`coalesce(note.position, 0)`,
    visiblePosition: sql`note.visible_since`,
    firstVisiblePosition: sql`note.first_visible`,
    ...run,
  })
  const rows = await read<StoredState<ChangedNote>>(
    'listStates',
    sql`SELECT ${resultOf(row)}
    FROM notewire_mirror_notes AS note ${index} WHERE note.integration = ${integration} AND ${found(query)} LIMIT ${query.limit}`,
  )
  return rows.map(withState)
}

/** The condition of a query, and its order. */
function found(query: StatesQuery): Sql {
  if ('missing' in query) {
    const { missing, after } = query
    return sql`note.presence = 'live' AND note.evidence_start < ${missing.startSequence} AND note.note_id > ${after} ORDER BY note.note_id`
  }
  if ('heldBy' in query) {
    return sql`note.presence = 'hidden' AND note.held_by_scan = ${query.heldBy} AND note.note_id > ${query.after} ORDER BY note.note_id`
  }
  if ('hiddenBefore' in query) {
    const { hiddenBefore } = query
    return sql`note.presence = 'hidden'
      AND (note.hidden_at <= ${hiddenBefore} OR note.hidden_at > ${hiddenBefore + LATEST_HIDDEN_MS}) ORDER BY note.note_id`
  }
  if ('notErasedAfter' in query) {
    return sql`note.note_id > ${query.notErasedAfter} AND note.state <> ${ERASED} ORDER BY note.note_id`
  }
  return sql`note.position > ${query.changedAfter} AND note.position > 0 ORDER BY note.position`
}
