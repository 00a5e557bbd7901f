/**
 * How many edited notes are written in one commit. To replace a note in the search index takes SQLite about 5 ms, and much longer for a long
 * transcript. The thread is blocked meanwhile.
 */
const EDITS_A_COMMIT = 4

/** Divides edited notes into groups. Each group is written in its own commit. */
export function commitGroups<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / EDITS_A_COMMIT) }, (_, index) =>
    items.slice(index * EDITS_A_COMMIT, (index + 1) * EDITS_A_COMMIT),
  )
}
