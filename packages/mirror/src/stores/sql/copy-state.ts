import { raw, type Sql } from 'sql-template-tag'
import { type CopyState, NO_PROGRESS } from '../../integrations/progress.ts'
import { progressJson, type StoredProgress, withProgress } from '../progress-json.ts'
import { resultOf, sql } from './sql.ts'
import { type Dialect, readOne, type SqlDatabase } from './sql-database.ts'

/** Reads the state of a copy. */
export async function readProgress(database: SqlDatabase, integration: string): Promise<CopyState> {
  const { object, copyOf, serverTime } = database.dialect
  const found = object({ copy: copyOf(sql`CAST(${integration} AS text)`), serverTime })
  const { copy } = await readOne<StoredCopy>(database, 'readProgress', sql`SELECT ${resultOf(found)}`)
  return withProgress(copy)
}

interface StoredCopy {
  readonly copy: StoredProgress<CopyState>
}

/** The progress in a column, which is empty before the first write of a copy. */
export function progressIn(column: Sql): Sql {
  return sql`coalesce(${column}, '${NO_PROGRESS_JSON}')`
}

const NO_PROGRESS_JSON = raw(JSON.stringify(progressJson(NO_PROGRESS)))

/** The part of a dialect that `copyState` needs. */
type CopyDialect = Pick<Dialect, 'json' | 'object' | 'isDirty' | 'milliseconds' | 'sequenceOf'>

/** The state of a copy as JSON (`CopyState`, with the progress as it is stored). A copy has no row before its first write. */
export function copyState(integration: Sql, { json, object, isDirty, milliseconds, sequenceOf }: CopyDialect): Sql {
  const first = (
    time: string,
    condition: Sql,
  ) => sql`(SELECT note.${raw(time)} AS earliest FROM notewire_mirror_notes AS note
    WHERE note.integration = asked.integration AND ${condition} AND note.${raw(time)} IS NOT NULL ORDER BY note.${raw(time)} LIMIT 1)`
  // Two searches, because each reads the beginning of an index.
  const nextDueAt = sql`(SELECT min(earliest) FROM (
    SELECT earliest FROM ${first('due_at', isDirty(true))} AS dirty UNION ALL SELECT earliest FROM ${first('due_at', isDirty(false))} AS clean) AS due)`
  const state = object({
    sequence: sequenceOf(sql`asked.integration`),
    progress: json(progressIn(sql`mirrors.progress`)),
    heardAt: milliseconds(sql`mirrors.heard_at`),
    position: sql`coalesce(mirrors.position, 0)`,
    nextDueAt: milliseconds(nextDueAt),
    hiddenSince: first('hidden_at', sql`note.presence = 'hidden'`),
  })
  return sql`(SELECT ${state} FROM (SELECT ${integration} AS integration) AS asked
    LEFT JOIN notewire_mirrors AS mirrors ON mirrors.integration = asked.integration)`
}
