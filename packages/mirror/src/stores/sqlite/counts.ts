import type { SqliteRow } from '@notewire/webhooks/storage'
import type { NoteCounts } from '../../interfaces/store.ts'

/** The condition of each count. Triggers maintain the counts, because counting a million notes takes too long. */
const COUNTED: Readonly<Record<keyof NoteCounts, (row: 'new' | 'old') => string>> = {
  live: (row) => `${row}.presence = 'live'`,
  hidden: (row) => `${row}.presence = 'hidden'`,
  gone: (row) => `${row}.presence = 'gone'`,
  dirty: (row) => `${row}.dirty IS NOT NULL`,
  unsettled: (row) => `${row}.presence = 'live' AND ${row}.dirty IS NULL AND ${row}.settled_revision IS NULL`,
  contradicted: (row) => `${row}.contradicted_since IS NOT NULL`,
}

/** The columns of `notewire_mirrors` that count notes. */
export const COUNTS = Object.keys(COUNTED) as readonly (keyof NoteCounts)[]

/** Adds a row of a trigger to the counts, or subtracts it. */
export function countsOf(row: 'new' | 'old', sign: '+' | '-'): string {
  return COUNTS.map((count) => `${count} = ${count} ${sign} (${COUNTED[count](row)})`).join(', ')
}

/** Reads the row of an integration, which does not exist before its first write. */
export function countsIn(row: SqliteRow | undefined): NoteCounts {
  return Object.fromEntries(COUNTS.map((count) => [count, Number(row?.[count] ?? 0)])) as Record<
    keyof NoteCounts,
    number
  >
}
