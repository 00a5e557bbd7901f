import { STATE_COLUMNS } from '../state-row.ts'

/** The names of the columns. */
export const STATE_NAMES = STATE_COLUMNS.map(([name]) => name).join(', ')

/** The columns with their types in JSON. */
export const STATE_IN_JSON = STATE_COLUMNS.map(([name, type]) => `${name} ${type === 'time' ? 'float8' : type}`).join(
  ', ',
)

/** SQL for the columns of a row of JSON, converted to their stored types. */
export function storedFrom(row: string): string {
  return STATE_COLUMNS.map(([name, type]) => (type === 'time' ? timeFrom(`${row}.${name}`) : `${row}.${name}`)).join(
    ', ',
  )
}

/** SQL for a stored state as JSON. */
export function stateJson(row: string): string {
  const fields = STATE_COLUMNS.map(([name, type]) => {
    return `'${name}', ${type === 'time' ? timeIn(`${row}.${name}`) : `${row}.${name}`}`
  })
  return `json_build_object('note_id', ${row}.note_id, ${fields.join(', ')})`
}

/** SQL for a time from milliseconds since the Unix epoch. */
function timeFrom(milliseconds: string): string {
  return `to_timestamp(${milliseconds} / 1000)`
}

/** SQL for a time in milliseconds since the Unix epoch. */
export function timeIn(time: string): string {
  return `extract(epoch FROM ${time}) * 1000`
}
