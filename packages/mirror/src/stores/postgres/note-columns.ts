import { NO_PROGRESS } from '../../integrations/progress.ts'
import { progressJson } from '../progress-json.ts'

/** SQL for the progress of a copy, which has no row before its first write. */
export const PROGRESS = `coalesce(mirrors.progress, '${JSON.stringify(progressJson(NO_PROGRESS))}')`

export function stateOf(row: string): string {
  return `${row}.state || jsonb_build_object('noteId', ${row}.note_id, 'dueAt', ${timeIn(`${row}.due_at`)})`
}

/** SQL for the present of the server, in milliseconds since the Unix epoch. */
export const SERVER_TIME = timeIn('clock_timestamp()')

/** SQL for the state of a copy as JSON, for a row `asked` with its integration, and its row `mirrors`, if there is one. */
export const COPY_JSON = `json_build_object(
    'sequence', notewire_mirror_sequence(asked.integration), 'progress', ${PROGRESS},
    'heardAt', ${timeIn('mirrors.heard_at')},
    'position', coalesce(mirrors.position, 0), 'nextDueAt', ${timeIn(`least(${firstOf('due_at', 'notes.dirty IS NOT NULL')}, ${firstOf('due_at', 'notes.dirty IS NULL')})`)},
    'hiddenSince', ${firstOf('hidden_at', "notes.presence = 'hidden'")})`

function firstOf(column: string, isCounted: string): string {
  return `(SELECT notes.${column} FROM notewire_mirror_notes AS notes
      WHERE notes.integration = asked.integration AND notes.${column} IS NOT NULL AND ${isCounted} ORDER BY notes.${column} LIMIT 1)`
}

export function timeIn(time: string): string {
  return `extract(epoch FROM ${time}) * 1000`
}

/**
 * Settings of a function that make it look up each row by an index. PostgreSQL plans its statements while the tables are empty and have no
 * statistics, and uses these plans while a first listing fills the tables: by its cost estimates, it would compare every row of a page with
 * every row of the integration.
 */
export const BY_INDEX = [
  'SET enable_seqscan = off',
  'SET enable_hashjoin = off',
  'SET enable_mergejoin = off',
  'SET enable_material = off',
].join(' ')
