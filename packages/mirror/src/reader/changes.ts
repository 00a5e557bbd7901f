import type { Clock } from '@notewire/protocol'
import { isErased } from '../notes/note-state.ts'
import type { ChangedNote, ReadableStore } from '../stores/mirror-store.ts'
import { type FeedPosition, positionText, readPosition, requirePosition } from './positions.ts'

/** One change, for your own index. `mirror.get(noteId)` returns the note's current content. */
export interface MirrorChange {
  /**
   * - `added`: the mirror shows the note for the first time. A loop may yield this twice, if the note changed meanwhile.
   * - `content`: its record, transcript or summary changed: read it again.
   * - `restored`: the mirror shows the note again.
   * - `hidden`: an event announced its deletion, or a full listing missed it: do not show it.
   * - `removed`: it is gone, and the mirror has erased its content: erase yours.
   */
  readonly kind: 'added' | 'content' | 'restored' | 'hidden' | 'removed'
  readonly noteId: string
  readonly revision: number | null
  /** The position of this change. Store it after you have handled the change, and pass it as `after` to continue there. */
  readonly position: string
}

/** Options of `mirror.changes`. */
export interface ChangesOptions {
  /** The position of the last change that was handled; without one, all changes are yielded. */
  readonly after?: string | null | undefined
  /**
   * Whether to wait for the next change instead of ending when there is none.
   *
   * @default false
   */
  readonly follow?: boolean | undefined
  /** Ends the loop: it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const PAGE_SIZE = 100

/** The time between two reads with `follow`, in milliseconds. */
const POLL_EVERY_MS = 1_000

/**
 * Yields the changes in order. A note that changed several times is yielded once, at its latest change. A loop that resumes may therefore yield
 * `content` or `removed` for a note whose earlier changes it has not yielded.
 */
export async function* readChanges(
  { store, integration, clock }: { readonly store: ReadableStore; readonly integration: string; readonly clock: Clock },
  { after, follow = false, signal }: ChangesOptions,
): AsyncGenerator<MirrorChange, void, void> {
  let last = readPosition(after)
  for (const begin = last.number; ; ) {
    signal?.throwIfAborted()
    const known = last.number
    const { generation, changed } = await changesAfter(last, store, integration)
    for (const note of changed) {
      signal?.throwIfAborted()
      const change = changeFor(note, { begin, known })
      last = { generation, run: note.run ?? '', number: note.position }
      if (change !== undefined) yield { ...change, position: positionText(last) }
    }
    if (changed.length > 0) continue
    if (!follow) return
    await clock.sleep(POLL_EVERY_MS, signal)
  }
}

/** Reads the first changes after a position. Checks the position each time, because the database may be restored while a loop runs. */
async function changesAfter(position: FeedPosition, store: ReadableStore, integration: string) {
  const feed = await store.readFeed(integration, position.run)
  requirePosition(position, feed)
  const { generation } = feed
  if (feed.position <= position.number) return { generation, changed: [] }
  return {
    generation,
    changed: await store.listStates(integration, { changedAfter: position.number, limit: PAGE_SIZE }),
  }
}

/**
 * Decides the kind of a change; `undefined` for a note that appeared and vanished since. For a live note, this depends on where the loop began: the
 * note may be `added` twice, but is never `content` before it was `added`. For another note, it depends on what the loop may have yielded.
 */
function changeFor(
  { state, visiblePosition, firstVisiblePosition }: ChangedNote,
  /** The positions at which the loop began, and up to which it has yielded changes. */
  { begin, known }: { readonly begin: number; readonly known: number },
): Omit<MirrorChange, 'position'> | undefined {
  const { noteId, revision, presence } = state
  const isNewSince = (position: number) => firstVisiblePosition === null || firstVisiblePosition > position
  if (presence === 'live') {
    if (visiblePosition <= begin) return { kind: 'content', noteId, revision }
    return { kind: isNewSince(begin) ? 'added' : 'restored', noteId, revision }
  }
  // An earlier copy of an integration that was removed and added again is none of this copy's changes.
  if (isNewSince(known) || isErased(state)) return undefined
  return { kind: presence === 'hidden' ? 'hidden' : 'removed', noteId, revision }
}
