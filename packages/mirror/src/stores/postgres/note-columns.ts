/**
 * The columns of a note's state but for its id, and how each travels: a time is `timestamptz` in its table, and milliseconds since the
 * Unix epoch in JSON.
 */
// `numeric` holds whatever a service calls a revision in an event of a kind that nobody knows.
export const STATE_COLUMNS = [
  ['presence', 'text'],
  ['evidence_says', 'text'],
  ['evidence_start', 'bigint'],
  ['evidence_end', 'bigint'],
  ['evidence_source', 'text'],
  ['evidence_at', 'time'],
  ['revision', 'bigint'],
  ['status', 'text'],
  ['transcript_status', 'text'],
  ['summary_status', 'text'],
  ['created_at', 'text'],
  ['updated_at', 'text'],
  ['settled_revision', 'bigint'],
  ['transcript_held', 'text'],
  ['summary_held', 'text'],
  ['dirty', 'bigint'],
  ['hinted_revision', 'numeric'],
  ['hidden_by', 'bigint'],
  ['hidden_at', 'time'],
  ['held_by_scan', 'text'],
  ['attempts', 'bigint'],
  ['due_at', 'time'],
  ['heard_kind', 'text'],
  ['heard_revision', 'numeric'],
  ['heard_sequence', 'bigint'],
  ['heard_at', 'time'],
] as const

/** The names of the columns. */
export const STATE_NAMES = STATE_COLUMNS.map(([name]) => name).join(', ')

/** The columns as they come in JSON. */
export const STATE_IN_JSON = STATE_COLUMNS.map(([name, type]) => `${name} ${type === 'time' ? 'float8' : type}`).join(
  ', ',
)

/** The columns of a row of JSON, as they are stored. */
export function storedFrom(row: string): string {
  return STATE_COLUMNS.map(([name, type]) => (type === 'time' ? timeFrom(`${row}.${name}`) : `${row}.${name}`)).join(
    ', ',
  )
}

/** A stored state as JSON. */
export function stateJson(row: string): string {
  const fields = STATE_COLUMNS.map(([name, type]) => {
    return `'${name}', ${type === 'time' ? timeIn(`${row}.${name}`) : `${row}.${name}`}`
  })
  return `json_build_object('note_id', ${row}.note_id, ${fields.join(', ')})`
}

/** A time of milliseconds since the Unix epoch. */
function timeFrom(milliseconds: string): string {
  return `to_timestamp(${milliseconds} / 1000)`
}

/** A time in milliseconds since the Unix epoch. */
export function timeIn(time: string): string {
  return `extract(epoch FROM ${time}) * 1000`
}
