import type { SqliteRow } from '@notewire/webhooks/storage'
import type { NoteCounts } from '../../interfaces/store.ts'
import { COUNTED } from '../counted-notes.ts'

/** The columns of `notewire_mirrors` that count notes. */
export const COUNTS = Object.keys(COUNTED) as readonly (keyof NoteCounts)[]

/** SQL that adds a trigger's row to the counts, or subtracts it. The counts are stored because counting a million notes takes too long. */
export function countsOf(row: 'new' | 'old', sign: '+' | '-'): string {
  return COUNTS.map((count) => `${count} = ${count} ${sign} (${COUNTED[count](row)})`).join(', ')
}

/** Reads the counts from the row of an integration, which does not exist before its first write. */
export function countsIn(row: SqliteRow | undefined): NoteCounts {
  const counts = COUNTS.map((count) => [count, Number(row?.[count] ?? 0)])
  return Object.fromEntries(counts) as Record<keyof NoteCounts, number>
}
