import type { Row } from './report.ts'

/** The entries that a reader looks up by name. */
const MAIN_ENTRIES = [
  '@notewire/client',
  '@notewire/mirror',
  '@notewire/mock-server',
  '@notewire/webhooks',
  '@notewire/webhooks/verify',
]

/**
 * Replaces the rows of the other entries by one row with the largest value of each column.
 *
 * @param isShown  whether an entry has its own row anyway, like the main entries and those above their budget
 */
export function mergeOtherEntries(rows: readonly Row[], isShown: (name: string) => boolean): readonly Row[] {
  const shown = new Set(rows.filter((row) => isShown(row.name) || isMainOrLarge(row)).map(({ name }) => name))
  const columns = Map.groupBy(
    rows.filter(({ name }) => !shown.has(name)),
    ({ column }) => column,
  )
  const merged = [...columns.values()].flatMap((others): readonly Row[] => {
    const [largest] = others.toSorted((one, other) => other.value - one.value)
    return largest === undefined ? [] : [{ ...largest, name: 'each other entry, at most' }]
  })
  return [...rows.filter(({ name }) => shown.has(name)), ...merged]
}

function isMainOrLarge({ name, value, budget }: Row): boolean {
  return MAIN_ENTRIES.includes(name) || (budget !== undefined && value > budget)
}
