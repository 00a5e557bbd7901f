import { MirrorError } from '../errors.ts'
import type { ChangedNote } from '../stores/store.ts'

/**
 * What became of a note, for an index of your own.
 *
 * - `added`: it is here for the first time. A loop may say so twice, when the note changed meanwhile.
 * - `content`: something of it changed: read it again.
 * - `restored`: it is back.
 * - `hidden`: an event, or a scan, says that it is gone: show it to nobody.
 * - `removed`: it is gone, and its content is erased here: erase yours.
 */
export type MirrorChangeKind = 'added' | 'content' | 'restored' | 'hidden' | 'removed'

/** One change. Ask `mirror.get(noteId)` for what the note says now. */
export interface MirrorChange {
  readonly kind: MirrorChangeKind
  readonly noteId: string
  readonly revision: number | null
  /** Stands for everything up to this change: store it behind what you did, and pass it as `after`. */
  readonly position: string
}

/** Where to begin, and whether to wait for more. */
export interface ChangesOptions {
  /** The position of the last change that was handled; everything is told without one. */
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

/** What the feed is read from. */
export interface Feed {
  /** Reads the name of the copy; `null` when there is none yet. */
  readCopyId(): Promise<string | null>
  /** Reads changes behind a position. */
  read(after: number, limit: number): Promise<readonly ChangedNote[]>
  /** Resolves when there may be more. */
  wait(): Promise<void>
}

const CHANGES_AT_ONCE = 100

/**
 * Goes through the changes. A note that changed twice shows once, at its last change; hence a note may be `content` or `removed` for a
 * reader who resumes, and never more than once for each position.
 */
export async function* readChanges(
  { readCopyId, read, wait }: Feed,
  { after, follow = false, signal }: ChangesOptions,
): AsyncGenerator<MirrorChange, void, void> {
  let copyId = await readCopyId()
  const begin = positionIn(after, copyId)
  for (let position = begin; ; ) {
    signal?.throwIfAborted()
    const known = position
    const changed = await read(known, CHANGES_AT_ONCE)
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
    await wait()
  }
}

/** Writes a position down, with the copy that it is one of. */
export function positionOf(position: number, copyId: string | null): string {
  return `${copyId}:${position}`
}

/** What a reader has been told: everything up to where the loop began, and in the loop what there was up to a position. */
interface Reader {
  readonly begin: number
  readonly known: number
}

/**
 * What a change is to a reader; `undefined` for a note that came and went since. What is there is judged by where the loop began:
 * rather is a note `added` twice than changed before it was added. What is not is judged by all that the loop may have told.
 */
function changeFor(
  { state, visibleSince, firstVisible }: ChangedNote,
  { begin, known }: Reader,
): Omit<MirrorChange, 'position'> | undefined {
  const facts = { noteId: state.noteId, revision: state.revision }
  const isBehind = (position: number) => firstVisible === null || firstVisible > position
  switch (state.presence) {
    case 'live':
      if (visibleSince <= begin) return { kind: 'content', ...facts }
      return { kind: isBehind(begin) ? 'added' : 'restored', ...facts }
    case 'hidden':
      return isBehind(known) ? undefined : { kind: 'hidden', ...facts }
    case 'gone':
      return isBehind(known) ? undefined : { kind: 'removed', ...facts }
  }
}

function positionIn(after: string | null | undefined, copyId: string | null): number {
  if (after === undefined || after === null) return 0
  const { copy, position } = /^(?<copy>[\w-]+):(?<position>\d{1,15})$/.exec(after)?.groups ?? {}
  if (position === undefined) {
    throw new MirrorError(
      'position_malformed',
      'after is not the position of a change. Pass the position of the last change that you handled, or leave it out to be told everything.',
    )
  }
  if (copy === copyId) return Number(position)
  throw new MirrorError(
    'position_foreign',
    'after is a position of another copy: this one was made anew since, or is of another store. Empty your index, and leave after out to be told everything.',
  )
}
