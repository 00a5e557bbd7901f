import { join, raw, type Sql } from 'sql-template-tag'
import { sql } from '../sql/sql.ts'
import type { Dialect, Fields } from '../sql/sql-database.ts'

/** The time of the server, in milliseconds since the Unix epoch. */
const serverTime = milliseconds(sql`clock_timestamp()`)

/** The SQL of PostgreSQL. */
export const dialect: Dialect = {
  json: (column) => column,
  object: (fields) => sql`json_build_object(${argumentsOf(fields)})`,
  objectOf: (query) => sql`(SELECT coalesce(json_object_agg(key, number), '{}') FROM (${query}) AS counted)`,
  arrayOf: (query) => sql`(SELECT coalesce(json_agg(item), '[]') FROM (${query}) AS items)`,
  textsIn: (array) => sql`SELECT jsonb_array_elements_text(CAST(${array} AS jsonb))`,
  withFields: (column, fields) => sql`${column} || jsonb_build_object(${argumentsOf(fields)})`,
  serverTime,
  skippingLocked: raw('FOR NO KEY UPDATE SKIP LOCKED'),
  hasOneWriter: false,
  durably: (durability) => (durability === 'process' ? raw('true') : SURVIVES),
  orServerTime: (write) => sql`WITH written AS (${write})
    SELECT coalesce((SELECT result FROM written), CAST(json_build_object('serverTime', ${serverTime}) AS text)) AS result`,
  copyOf: (integration) => sql`notewire_mirror_copy(${integration})`,
  sequenceOf: (integration) => sql`notewire_mirror_sequence(${integration})`,
  latestPosition: (integration) =>
    sql`coalesce((SELECT mirrors.position FROM notewire_mirrors AS mirrors WHERE mirrors.integration = ${integration}), 0)`,
  isReplica: sql`pg_is_in_recovery()`,
  isDirty: (isDirty) => raw(`note.dirty IS ${isDirty ? 'NOT NULL' : 'NULL'}`),
  milliseconds,
  timestamp: (ms) => sql`to_timestamp(CAST(${ms} AS float8) / 1000)`,
}

/** Makes the transaction of its statement survive a crash, even if the database commits asynchronously. */
const SURVIVES = raw(`set_config('synchronous_commit',
  CASE current_setting('synchronous_commit') WHEN 'off' THEN 'local' ELSE current_setting('synchronous_commit') END, true) IS NOT NULL`)

function milliseconds(time: Sql): Sql {
  return sql`extract(epoch FROM ${time}) * 1000`
}

function argumentsOf(fields: Fields): Sql {
  return join(
    Object.entries(fields).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`),
    ', ',
  )
}
