import { systemClock } from '@notewire/protocol'
import type { SqliteRow, SqliteStatement } from '@notewire/storage'
import { NOW } from './schema.ts'

/** How many rows one transaction reads. It takes a few milliseconds, during which other writers wait. */
const ROWS_AT_A_TIME = 500

/**
 * Removes expired records from both tables, a few rows at a time.
 *
 * @returns how many processed events and revisions were removed
 */
export async function pruneTables(batch: Batch, now: () => number | null): Promise<number> {
  return (await pruneTable(batch, now, EVENTS)) + (await pruneTable(batch, now, NOTES))
}

type Batch = (statements: readonly SqliteStatement[]) => Promise<readonly SqliteRow[][]>

async function pruneTable(
  batch: Batch,
  now: () => number | null,
  { nextRows, expire, endLeases, removeIdle }: TableStatements,
): Promise<number> {
  let removed = 0
  for (let after = ['', '']; ; ) {
    const [[last] = []] = await batch([{ sql: nextRows, parameters: after }])
    if (last === undefined) return removed
    const until = [String(last['integration']), String(last['id'])]
    const parameters = [...after, ...until, now()]
    const [expired = []] = await batch([expire, endLeases, removeIdle].map((sql) => ({ sql, parameters })))
    removed += expired.length
    after = until
    // Lets other tasks run in between, also if the driver is synchronous.
    await systemClock.sleep(0)
  }
}

interface TableStatements {
  /** Returns the last of the next rows. */
  readonly nextRows: string
  readonly expire: string
  readonly endLeases: string
  readonly removeIdle: string
}

const EVENTS = tableStatements('notewire_events', 'event_id', 'forgotten = 0')
const NOTES = tableStatements('notewire_notes', 'note_id', 'applied = NULL')

function tableStatements(table: string, id: string, nothingKept: string): TableStatements {
  const theseRows = `(integration, ${id}) > (?, ?) AND (integration, ${id}) <= (?, ?)`
  return {
    nextRows: `
      SELECT integration, id FROM (
        SELECT integration, ${id} AS id FROM ${table}
        WHERE (integration, ${id}) > (?, ?) ORDER BY integration, ${id} LIMIT ${ROWS_AT_A_TIME}
      ) ORDER BY integration DESC, id DESC LIMIT 1`,
    expire: `
      UPDATE ${table} SET kept_until = NULL, ${nothingKept}
      WHERE ${theseRows} AND kept_until <= ${NOW} RETURNING ${id}`,
    endLeases: `UPDATE ${table} SET lease_ends_at = NULL WHERE ${theseRows} AND lease_ends_at <= ${NOW}`,
    // Not while the clock could give the next claim the same token again.
    removeIdle: `
      DELETE FROM ${table}
      WHERE ${theseRows} AND kept_until IS NULL AND lease_ends_at IS NULL AND fencing_token < ${NOW}`,
  }
}
