import type { MirrorChange, MirrorChangeKind, MirrorReader } from '@notewire/mirror'
import type { Clock, Note } from '@notewire/protocol'

export interface ShownChange extends MirrorChange {
  readonly note: Note | undefined
}

/** How often to look for changes, in milliseconds. Other processes may write to the copy as well. */
const LOOK_EVERY_MS = 500

/**
 * Shows each change once it is complete. The mirror writes a change when a note is listed and another one when its transcript and
 * summary are read; both are shown as one change. Ends with the signal.
 */
export async function followChanges(
  mirror: MirrorReader,
  after: string | null,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  show: (change: ShownChange) => Promise<void>,
): Promise<void> {
  const incomplete = new Map<string, MirrorChangeKind>()
  for (let position = after; !signal.aborted; ) {
    for await (const change of mirror.changes({ after: position })) {
      position = change.position
      const shown = await completed(mirror, change, incomplete)
      if (shown !== undefined) await show(shown)
    }
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
  }
}

async function completed(
  mirror: MirrorReader,
  change: MirrorChange,
  incomplete: Map<string, MirrorChangeKind>,
): Promise<ShownChange | undefined> {
  const { noteId, kind } = change
  const first = incomplete.get(noteId)
  const found = await mirror.get(noteId)
  if (found !== undefined && !found.isSettled) {
    incomplete.set(noteId, first ?? kind)
    return undefined
  }
  incomplete.delete(noteId)
  // The note was added and removed before it was shown.
  if (found === undefined && first === 'added') return undefined
  return { ...change, kind: found === undefined ? kind : (first ?? kind), note: found?.note }
}
