import type { SqliteRow } from '@notewire/storage'
import { readEscapedJson, unescapedText } from '../escaped-text.ts'
import type { NoteCounts, VersionedState } from '../mirror-store.ts'
import { COUNTED, type StateJson, withState } from '../state-json.ts'

/** The columns that `versionedState` reads. The statement must name the table `note`. */
export const READ_STATE = 'note.note_id, note.version, note.digests, note.due_at, note.state'

export function versionedState({ note_id, version, digests, due_at, state }: SqliteRow): VersionedState {
  const known = { noteId: unescapedText(String(note_id)), dueAt: due_at as number | null }
  return withState({
    state: { ...(readEscapedJson(String(state)) as StateJson), ...known },
    version: Number(version),
    digests: JSON.parse(String(digests)),
  })
}

/** The columns of `notewire_mirrors` that count notes. */
export const COUNTS = Object.keys(COUNTED) as readonly (keyof NoteCounts)[]

/** SQL with which a trigger changes the counts. They are stored because counting a million notes takes too long. */
export function countsAfter(change: 'insert' | 'update'): string {
  const before = (count: keyof NoteCounts) => (change === 'insert' ? '' : ` - (${COUNTED[count]('old')})`)
  return COUNTS.map((count) => `${count} = ${count}${before(count)} + (${COUNTED[count]('new')})`).join(', ')
}

/** Reads the counts from the row of an integration, which does not exist before its first write. */
export function countsIn(row: SqliteRow | undefined): NoteCounts {
  const counts = COUNTS.map((count) => [count, Number(row?.[count] ?? 0)])
  return Object.fromEntries(counts) as Record<keyof NoteCounts, number>
}
