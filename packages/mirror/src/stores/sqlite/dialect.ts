import { empty, join, raw, type Sql } from 'sql-template-tag'
import { copyState } from '../sql/copy-state.ts'
import { sql } from '../sql/sql.ts'
import type { Dialect } from '../sql/sql-database.ts'

/** The SQL of SQLite. */
export const dialect: Dialect = {
  json: (column) => sql`json(${column})`,
  object: (fields) =>
    sql`json_object(${join(
      Object.entries(fields).map(([name, value]) => sql`${raw(`'${name}'`)}, ${value}`),
      ', ',
    )})`,
  // Some versions of SQLite return the object of a subquery as text.
  objectOf: (query) => sql`json((SELECT json_group_object(key, number) FROM (${query}) AS counted))`,
  arrayOf: (query) => sql`json((SELECT json_group_array(json(item)) FROM (${query}) AS items))`,
  textsIn: (array) => sql`SELECT value FROM json_each(${array})`,
  withFields: (column, fields) =>
    sql`json_set(${join([column, ...Object.entries(fields).map(([name, value]) => sql`${raw(`'$.${name}'`)}, ${value}`)], ', ')})`,
  serverTime: raw('NULL'),
  skippingLocked: empty,
  hasOneWriter: true,
  durably: () => raw('true'),
  orServerTime: (write) => write,
  copyOf: (integration) => sql`json(${copyState(integration, dialect)})`,
  sequenceOf: (integration) =>
    sql`coalesce((SELECT sequence FROM notewire_mirrors WHERE integration = ${integration}), 0)`,
  latestPosition,
  isReplica: raw("json('false')"),
  isDirty: (isDirty) => raw(`(note.dirty IS NULL) = ${Number(!isDirty)}`),
  milliseconds: (time) => time,
  timestamp: (ms) => sql`${ms}`,
}

// Not the position of `notewire_mirrors`, which each process advances by a million before its first write: a restored database would seem to contain
// positions that it has lost.
export function latestPosition(integration: Sql): Sql {
  return sql`coalesce((SELECT note.position FROM notewire_mirror_notes AS note
    WHERE note.integration = ${integration} AND note.position IS NOT NULL ORDER BY note.position DESC LIMIT 1), 0)`
}
