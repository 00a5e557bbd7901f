/**
 * Divides notes into groups that are committed one after the other, and returns at least one group.
 *
 * @param maxSize  how many notes a commit may contain; `undefined` for no limit
 */
export function commitGroups<Item>(items: readonly Item[], maxSize: number | undefined): readonly (readonly Item[])[] {
  if (maxSize === undefined || items.length <= maxSize) return [items]
  return Array.from({ length: Math.ceil(items.length / maxSize) }, (_, group) =>
    items.slice(group * maxSize, (group + 1) * maxSize),
  )
}
