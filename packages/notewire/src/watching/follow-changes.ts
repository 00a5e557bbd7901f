import type { MirrorChange, MirrorChangeKind, MirrorReader } from '@notewire/mirror'
import type { Note } from '@notewire/protocol'
import type { Bell } from './bell.ts'

/** A change as it is shown. */
export interface ShownChange {
  readonly kind: MirrorChangeKind
  readonly noteId: string
  readonly revision: number | null
  readonly position: string
  /** The note as it is now; nothing of one that is gone. */
  readonly note: Note | undefined
}

/** How changes are followed. */
export interface FollowOptions {
  /** Where to begin: what changed up to there is known. */
  readonly after: string | null
  /** Rings when this process has changed something. */
  readonly bell: Bell
  readonly signal: AbortSignal
  readonly show: (change: ShownChange) => Promise<void>
}

/** What other processes do is looked for this often, in milliseconds. */
const LOOK_EVERY_MS = 1_000

/**
 * Shows each change once it is complete: a note that is listed changes, and changes again when its transcript and summary are
 * read, which is one change to whoever looks on. Ends with the signal.
 */
export async function followChanges(mirror: MirrorReader, { after, bell, signal, show }: FollowOptions): Promise<void> {
  const incomplete = new Map<string, MirrorChangeKind>()
  for (let position = after; !signal.aborted; ) {
    for await (const change of mirror.changes({ after: position })) {
      position = change.position
      const shown = await completed(mirror, change, incomplete)
      if (shown !== undefined) await show(shown)
    }
    await bell.rung(LOOK_EVERY_MS, signal)
  }
}

async function completed(
  mirror: MirrorReader,
  { kind, noteId, revision, position }: MirrorChange,
  incomplete: Map<string, MirrorChangeKind>,
): Promise<ShownChange | undefined> {
  const first = incomplete.get(noteId)
  const found = await mirror.get(noteId)
  if (found !== undefined && !found.isSettled) {
    incomplete.set(noteId, first ?? kind)
    return undefined
  }
  incomplete.delete(noteId)
  // It came and went before it was shown.
  if (found === undefined && first === 'added') return undefined
  return { kind: found === undefined ? kind : (first ?? kind), noteId, revision, position, note: found?.note }
}
