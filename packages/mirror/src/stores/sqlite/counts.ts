import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/sqlite'
import type { NoteCounts } from '../store.ts'
import { storedText } from './text.ts'

/** How to tell whether a row of notes counts. The counts are kept up by triggers: to count a million notes takes too long. */
const COUNTED: Readonly<Record<keyof NoteCounts, (row: 'new' | 'old') => string>> = {
  live: (row) => `${row}.presence = 'live'`,
  hidden: (row) => `${row}.presence = 'hidden'`,
  gone: (row) => `${row}.presence = 'gone'`,
  dirty: (row) => `${row}.dirty IS NOT NULL`,
  unsettled: (row) => `${row}.presence = 'live' AND ${row}.dirty IS NULL AND ${row}.settled_revision IS NULL`,
}

/** The columns of `notewire_mirrors` that count notes. */
export const COUNTS = Object.keys(COUNTED) as readonly (keyof NoteCounts)[]

/** Adds a row of a trigger to the counts, or takes it away. */
export function countsOf(row: 'new' | 'old', sign: '+' | '-'): string {
  return COUNTS.map((count) => `${count} = ${count} ${sign} (${COUNTED[count](row)})`).join(', ')
}

/** Reads the counts. */
export function readCounts(scope: string): SqliteStatement {
  return { sql: READ_COUNTS, parameters: [storedText(scope)] }
}

const READ_COUNTS = `SELECT ${COUNTS.join(', ')} FROM notewire_mirrors WHERE scope = ?`

/** Reads the row of a scope, which is not there before its first write. */
export function countsIn(row: SqliteRow | undefined): NoteCounts {
  const of = (count: keyof NoteCounts) => Number(row?.[count] ?? 0)
  return {
    live: of('live'),
    hidden: of('hidden'),
    gone: of('gone'),
    dirty: of('dirty'),
    unsettled: of('unsettled'),
  }
}
