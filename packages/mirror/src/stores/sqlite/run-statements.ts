import type { SqliteStatement } from '@notewire/storage'
import { raw } from 'sql-template-tag'
import type { RunRequest } from '../feed-runs.ts'
import { MAX_RUNS } from '../mirror-store.ts'
import { latestPosition } from './dialect.ts'

/** Creates the table of runs. Databases of version 0.1.0 lack it. */
export const RUNS_SCHEMA: readonly string[] = [
  `
    CREATE TABLE IF NOT EXISTS notewire_mirror_runs (
      integration TEXT NOT NULL,
      run TEXT NOT NULL,          -- id; empty for the positions from before runs were recorded
      position INTEGER NOT NULL,  -- feed position of the latest change before the run
      PRIMARY KEY (integration, run)
    ) WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS notewire_mirror_runs_by_position ON notewire_mirror_runs (integration, position)',
]

const LATEST_OF = (integration: string) => latestPosition(raw(integration)).sql

/**
 * Makes the statements before those that announce notes: they begin a run unless the current one continues. The last returns a row if a run has
 * begun.
 */
export function runStatements(
  integration: string,
  { current, position, next }: RunRequest,
): readonly SqliteStatement[] {
  const begin = { sql: BEGIN_RUN, parameters: [integration, current, next, position] }
  if (current !== null) return [begin]
  const clear = [CLEAR_STALE_RUNS, KEEP_UNRECORDED, FORGET_OLDEST]
  return [...clear.map((sql) => ({ sql, parameters: [integration] })), begin]
}

/** Makes the statement after those that announce notes. It returns the latest position. */
export function readLatestPosition(integration: string): SqliteStatement {
  return { sql: `SELECT ${LATEST_OF('asked')} AS position FROM (SELECT ? AS asked)`, parameters: [integration] }
}

// A process of version 0.1.0 that erases an integration leaves its runs.
const CLEAR_STALE_RUNS = `
  WITH asked (integration) AS (VALUES (?))
  DELETE FROM notewire_mirror_runs WHERE integration = (SELECT integration FROM asked)
    AND position >= (SELECT ${LATEST_OF('asked.integration')} FROM asked)`

const KEEP_UNRECORDED = `
  INSERT INTO notewire_mirror_runs (integration, run, position)
  SELECT integration, '', 0 FROM (SELECT ? AS integration) AS asked
  WHERE ${LATEST_OF('asked.integration')} > 0
    AND NOT EXISTS (SELECT 1 FROM notewire_mirror_runs AS known WHERE known.integration = asked.integration)`

const FORGET_OLDEST = `
  WITH asked (integration) AS (VALUES (?))
  DELETE FROM notewire_mirror_runs WHERE integration = (SELECT integration FROM asked) AND position <= (
    SELECT known.position FROM asked CROSS JOIN notewire_mirror_runs AS known ON known.integration = asked.integration
    ORDER BY known.position DESC LIMIT 1 OFFSET ${MAX_RUNS - 1})`

/** Parameters: integration, current run, next run, the latest known position. */
const BEGIN_RUN = `
  INSERT INTO notewire_mirror_runs (integration, run, position)
  SELECT integration, next, latest FROM (
    SELECT *, ${LATEST_OF('asked.integration')} AS latest
    FROM (SELECT ? AS integration, ? AS current, ? AS next, ? AS written) AS asked
  ) AS asked
  WHERE latest < written OR NOT EXISTS (
    SELECT 1 FROM notewire_mirror_runs AS known WHERE known.integration = asked.integration AND known.run = asked.current)
  RETURNING run`

/** The statement for a database that has no table of runs, because this process may not create it. */
export function withoutRuns(sql: string): string {
  return sql.replaceAll('notewire_mirror_runs', '(SELECT NULL AS integration, NULL AS run, NULL AS position WHERE 0)')
}
