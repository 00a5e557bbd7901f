import { type PostgresQueries, postgresCodeOf } from '@notewire/storage'
import type { Sql } from 'sql-template-tag'
import { readEscapedJson } from '../escaped-text.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { dialect } from './dialect.ts'
import { ServerClock } from './server-clock.ts'

/** Runs a statement, each row of whose result has one column `result`. */
export type Ask = <Answer>(operation: string, text: string, ...values: unknown[]) => Promise<readonly Answer[]>

/** A database whose responses set the clock. */
export interface TimedDatabase extends SqlDatabase {
  readonly clock: ServerClock
  readonly ask: Ask
}

const UNIQUE_VIOLATION = '23505'

/** A row with the time of the server. */
interface Timed {
  readonly serverTime?: number
}

export function timedDatabase(queries: PostgresQueries): TimedDatabase {
  const clock = new ServerClock()

  async function ask<Answer>(operation: string, text: string, ...values: unknown[]): Promise<readonly Answer[]> {
    const askedAt = clock.monotonic()
    const rows = await queries.run<{ readonly result: string }>(operation, text, values)
    const answers = rows.map(({ result }) => readEscapedJson(result) as Answer & Timed)
    const serverTime = answers[0]?.serverTime
    if (serverTime !== undefined) clock.setBy(serverTime, askedAt)
    return answers
  }

  const run = <Result>(operation: string, statement: Sql) => ask<Result>(operation, statement.text, ...statement.values)
  return { dialect, read: run, write: run, isDuplicate, clock, ask }
}

function isDuplicate(error: unknown): boolean {
  return postgresCodeOf(error) === UNIQUE_VIOLATION
}
