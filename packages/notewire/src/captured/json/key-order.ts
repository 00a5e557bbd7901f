import type { JsonMember, JsonTree } from './json-tree.ts'

/** The keys of an event, in the order of the contract (§6). */
const CONTRACT_ORDER = [
  'event_id',
  'event_type',
  'occurred_at',
  'data',
  'note_id',
  'recording_session_id',
  'endpoint_id',
  'revision',
  'transcript_status',
  'summary_status',
  'reason',
]

/** The same JSON with the keys that the contract names first, in its order. */
export function inContractOrder(tree: JsonTree): JsonTree {
  const rankOf = ({ key }: JsonMember) => {
    const rank = CONTRACT_ORDER.indexOf(key)
    return rank < 0 ? CONTRACT_ORDER.length : rank
  }
  return mapMembers(tree, (members) => [...members].sort((one, other) => rankOf(one) - rankOf(other)))
}

/** How the keys of an object are sorted, in words. */
export function keyOrderInWords(tree: JsonTree): string {
  if (isSorted(tree, byText)) return 'they arrived sorted by the alphabet'
  if (isSorted(tree, byLength)) return "they arrived sorted by length, as PostgreSQL's jsonb does"
  return 'they arrived in none that is known'
}

/** More orders than this are not tried. */
const MOST_ORDERINGS = 20_000

/** The same JSON with the keys of the event and of its data in every order; nothing, where there are too many keys. */
export function* orderingsOf(tree: JsonTree): Generator<JsonTree> {
  if (tree.kind !== 'object') return
  const data = tree.members.find(({ key, value }) => key === 'data' && value.kind === 'object')?.value
  const inner = data?.kind === 'object' ? data.members : []
  if (factorial(tree.members.length) * factorial(inner.length) > MOST_ORDERINGS) return
  for (const members of permutationsOf(tree.members)) {
    for (const dataMembers of permutationsOf(inner)) {
      const reordered: JsonTree = { kind: 'object', members: dataMembers }
      yield {
        kind: 'object',
        members: members.map((member) => (member.value === data ? { ...member, value: reordered } : member)),
      }
    }
  }
}

function mapMembers(tree: JsonTree, sort: (members: readonly JsonMember[]) => readonly JsonMember[]): JsonTree {
  switch (tree.kind) {
    case 'array':
      return { kind: 'array', items: tree.items.map((item) => mapMembers(item, sort)) }
    case 'object': {
      const members = tree.members.map(({ key, value }) => ({ key, value: mapMembers(value, sort) }))
      return { kind: 'object', members: sort(members) }
    }
    default:
      return tree
  }
}

type Comparison = (one: string, other: string) => number

const byText: Comparison = (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))
const byLength: Comparison = (one, other) => one.length - other.length || byText(one, other)

function isSorted(tree: JsonTree, compare: Comparison): boolean {
  if (tree.kind === 'array') return tree.items.every((item) => isSorted(item, compare))
  if (tree.kind !== 'object') return true
  const { members } = tree
  const inOrder = members.every(({ key }, index) => index === 0 || compare(members[index - 1]?.key ?? '', key) <= 0)
  return inOrder && members.every(({ value }) => isSorted(value, compare))
}

function factorial(count: number): number {
  return count <= 1 ? 1 : count * factorial(Math.min(count, 20) - 1)
}

function* permutationsOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  if (items.length <= 1) yield items
  for (const [index, item] of items.length <= 1 ? [] : items.entries()) {
    for (const rest of permutationsOf(items.toSpliced(index, 1))) yield [item, ...rest]
  }
}
