import type { NoteCounts } from '../interfaces/store.ts'

/** The SQL condition of each count, for a row with the given name. */
export const COUNTED: Readonly<Record<keyof NoteCounts, (row: string) => string>> = {
  live: (row) => `${row}.presence = 'live'`,
  hidden: (row) => `${row}.presence = 'hidden'`,
  gone: (row) => `${row}.presence = 'gone'`,
  dirty: (row) => `${row}.dirty IS NOT NULL`,
  unsettled: (row) => `${row}.presence = 'live' AND ${row}.dirty IS NULL AND ${row}.settled_revision IS NULL`,
  contradicted: (row) => `${row}.contradicted_since IS NOT NULL`,
}
