/**
 * Divides notes into groups that are committed one after the other, and returns at least one group.
 *
 * @param most  how many notes a commit may contain; `undefined` for no limit
 */
export function commitGroups<Item>(items: readonly Item[], most: number | undefined): readonly (readonly Item[])[] {
  if (most === undefined || items.length <= most) return [items]
  return Array.from({ length: Math.ceil(items.length / most) }, (_, group) =>
    items.slice(group * most, (group + 1) * most),
  )
}
