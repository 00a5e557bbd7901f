import { STATE_COLUMNS } from '../state-row.ts'

type Columns = readonly (typeof STATE_COLUMNS)[number][]

/** The names of the columns. */
export function namesOf(columns: Columns): string {
  return columns.map(([name]) => name).join(', ')
}

/** The columns with their types in JSON. */
export function inJson(columns: Columns): string {
  return columns.map(([name, type]) => `${name} ${type === 'time' ? 'float8' : type}`).join(', ')
}

/** SQL for the columns of a row of JSON, converted to their stored types. */
export function storedFrom(row: string, columns: Columns): string {
  return columns.map(([name, type]) => (type === 'time' ? timeFrom(`${row}.${name}`) : `${row}.${name}`)).join(', ')
}

/** SQL for a stored state as JSON. */
export function stateJson(row: string): string {
  const fields = STATE_COLUMNS.map(([name, type]) => {
    return `'${name}', ${type === 'time' ? timeIn(`${row}.${name}`) : `${row}.${name}`}`
  })
  return `json_build_object('note_id', ${row}.note_id, ${fields.join(', ')})`
}

/**
 * SQL for the state of a copy as JSON, for a row `asked` with its integration, and its row `mirrors`, if there is one.
 *
 * @param ahead  SQL for how much the clock of the server is ahead of the caller's, in milliseconds
 */
export const copyJson = (ahead: string) => `json_build_object(
    'sequence', notewire_mirror_sequence_1(asked.integration), 'progress', mirrors.progress,
    'progress_version', coalesce(mirrors.progress_version, 0), 'heard_at', ${timeIn('mirrors.heard_at')},
    'next_due_at', least(${firstOf('due_at', 'notes.dirty IS NOT NULL')}, ${firstOf('due_at', 'notes.dirty IS NULL')}) - ${ahead},
    'hidden_since', ${firstOf('hidden_at', "notes.presence = 'hidden'")})`

/** SQL for the earliest time in a column. */
function firstOf(column: string, isCounted: string): string {
  return `(SELECT ${timeIn(`notes.${column}`)} FROM notewire_mirror_notes AS notes
      WHERE notes.integration = asked.integration AND notes.${column} IS NOT NULL AND ${isCounted} ORDER BY notes.${column} LIMIT 1)`
}

/** SQL for a time from milliseconds since the Unix epoch. */
function timeFrom(milliseconds: string): string {
  return `to_timestamp(${milliseconds} / 1000)`
}

/** SQL for a time in milliseconds since the Unix epoch. */
export function timeIn(time: string): string {
  return `extract(epoch FROM ${time}) * 1000`
}
