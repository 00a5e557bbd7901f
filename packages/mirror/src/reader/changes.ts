import type { Clock } from '@notewire/protocol'
import { MirrorError } from '../interfaces/errors.ts'
import type { ChangedNote, MirrorStore } from '../interfaces/store.ts'

/**
 * What became of a note, for an index of your own.
 *
 * - `added`: it is here for the first time. A loop may yield this twice, if the note changed meanwhile.
 * - `content`: its record, transcript or summary changed: read it again.
 * - `restored`: it is back.
 * - `hidden`: an event or a scan says that it is gone: do not show it.
 * - `removed`: it is gone, and its content is erased here: erase yours.
 */
export type MirrorChangeKind = 'added' | 'content' | 'restored' | 'hidden' | 'removed'

/** One change. Ask `mirror.get(noteId)` for the note's current content. */
export interface MirrorChange {
  readonly kind: MirrorChangeKind
  readonly noteId: string
  readonly revision: number | null
  /** Stands for everything up to this change: store it after you have handled the change, and pass it as `after`. */
  readonly position: string
}

/** Where to begin, and whether to wait for more. */
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

const CHANGES_AT_ONCE = 100

/** How long `follow` waits before it reads again, in milliseconds: another process may have made a change. */
const LOOK_EVERY_MS = 1_000

/**
 * Goes through the changes. A note that changed twice is yielded once, at its last change. So a note may be `content` or `removed` for a
 * reader who resumes, and never more than once for each position.
 */
export async function* readChanges(
  { store, integration, clock }: { readonly store: MirrorStore; readonly integration: string; readonly clock: Clock },
  { after, follow = false, signal }: ChangesOptions,
): AsyncGenerator<MirrorChange, void, void> {
  const readCopyId = async () => (await store.readProgress(integration)).progress.copyId
  let copyId = await readCopyId()
  const begin = positionIn(after, copyId)
  for (let position = begin; ; ) {
    signal?.throwIfAborted()
    const known = position
    const changed = await store.listChanges(integration, known, CHANGES_AT_ONCE)
    // A copy has its name before its first note, and both may be newer than this loop.
    if (changed.length > 0) copyId ??= await readCopyId()
    for (const note of changed) {
      signal?.throwIfAborted()
      const change = changeFor(note, { begin, known })
      position = note.position
      if (change !== undefined) yield { ...change, position: positionOf(position, copyId) }
    }
    if (changed.length > 0) continue
    if (!follow) return
    await clock.sleep(LOOK_EVERY_MS, signal)
  }
}

/** A position as text, with the name of its copy. */
export function positionOf(position: number, copyId: string | null): string {
  return `${copyId}:${position}`
}

/** What a reader has seen: everything up to where the loop began, and in the loop what there was up to a position. */
interface Reader {
  readonly begin: number
  readonly known: number
}

/**
 * What a change is to a reader; `undefined` for a note that came and went since. A live note is judged by where the loop began: it may be
 * `added` twice, but never changes before it is added. Another note is judged by everything that the loop may have yielded.
 */
function changeFor(
  { state, visibleSince, firstVisible }: ChangedNote,
  { begin, known }: Reader,
): Omit<MirrorChange, 'position'> | undefined {
  const { noteId, revision, presence } = state
  const isNewSince = (position: number) => firstVisible === null || firstVisible > position
  if (presence === 'live') {
    if (visibleSince <= begin) return { kind: 'content', noteId, revision }
    return { kind: isNewSince(begin) ? 'added' : 'restored', noteId, revision }
  }
  return isNewSince(known) ? undefined : { kind: presence === 'hidden' ? 'hidden' : 'removed', noteId, revision }
}

function positionIn(after: string | null | undefined, copyId: string | null): number {
  if (after === undefined || after === null) return 0
  const { copy, position } = /^(?<copy>[\w-]+):(?<position>\d{1,15})$/.exec(after)?.groups ?? {}
  if (position === undefined) {
    throw new MirrorError(
      'position_malformed',
      'the given position is not the position of a change. Pass the position of the last change that you handled, or no position to get all changes.',
    )
  }
  if (copy === copyId) return Number(position)
  throw new MirrorError(
    'position_foreign',
    'the given position is one of another copy: this copy was created again later, or is in another store. Empty your index, and pass no position to get all changes.',
  )
}
