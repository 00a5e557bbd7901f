import type { Sql } from 'sql-template-tag'
import type { FeedState } from '../mirror-store.ts'
import { resultOf, sql } from './sql.ts'
import { readOne, type SqlDatabase } from './sql-database.ts'

/** The run of a position: the latest that began before it; the empty text if it was not recorded. */
export function runOf(integration: Sql, position: Sql): Sql {
  return sql`coalesce((SELECT runs.run FROM notewire_mirror_runs AS runs
    WHERE runs.integration = ${integration} AND runs.position < ${position} ORDER BY runs.position DESC LIMIT 1), '')`
}

/** Reads where the feed of an integration is, and where one of its runs ended. */
export async function readFeed(database: SqlDatabase, integration: string, run: string): Promise<FeedState> {
  const { isReplica, latestPosition, object } = database.dialect
  const asked = sql`SELECT CAST(${integration} AS text) AS integration, CAST(${run} AS text) AS run`
  const positions = sql`SELECT integration, run, ${latestPosition(sql`given.integration`)} AS latest, (
      SELECT known.position FROM notewire_mirror_runs AS known WHERE known.integration = given.integration AND known.run = given.run) AS start
    FROM (${asked}) AS given`
  const nextRun = sql`SELECT min(later.position) FROM notewire_mirror_runs AS later
    WHERE later.integration = asked.integration AND later.position > asked.start`
  const hasNoRuns = sql`NOT EXISTS (SELECT 1 FROM notewire_mirror_runs AS known WHERE known.integration = asked.integration)`
  const feed = object({
    generation: sql`coalesce(mirrors.progress ->> 'copyId', integrations.generation)`,
    position: sql`asked.latest`,
    run: runOf(sql`asked.integration`, sql`asked.latest`),
    runEnd: sql`CASE WHEN asked.start IS NOT NULL THEN coalesce((${nextRun}), asked.latest)
      WHEN asked.run = '' AND ${hasNoRuns} THEN asked.latest END`,
    isReplica,
  })
  return await readOne(
    database,
    'readFeed',
    sql`SELECT ${resultOf(feed)} FROM (${positions}) AS asked
    LEFT JOIN notewire_mirrors AS mirrors ON mirrors.integration = asked.integration
    LEFT JOIN notewire_integrations AS integrations ON integrations.integration = asked.integration`,
  )
}
