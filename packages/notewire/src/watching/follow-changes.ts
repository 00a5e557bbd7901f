import type { MirrorChange, MirrorChangeKind, MirrorReader } from '@notewire/mirror'
import type { Clock, Note } from '@notewire/protocol'

/** A complete change. */
export interface ShownChange {
  readonly kind: MirrorChangeKind
  readonly noteId: string
  readonly revision: number | null
  readonly position: string
  /** The current note; `undefined` if it is gone. */
  readonly note: Note | undefined
}

/** How changes are followed. */
export interface FollowOptions {
  /** The position after which to begin. */
  readonly after: string | null
  /** Rings when this process has written a change. */
  readonly bell: Bell
  readonly signal: AbortSignal
  readonly show: (change: ShownChange) => Promise<void>
}

/** How often to look for changes of other processes, in milliseconds. */
const LOOK_EVERY_MS = 1_000

/**
 * Shows each change once it is complete. The mirror writes a change when a note is listed and another one when its transcript and
 * summary are read; both are shown as one change. Ends with the signal.
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
  // The note was added and removed before it was shown.
  if (found === undefined && first === 'added') return undefined
  return { kind: found === undefined ? kind : (first ?? kind), noteId, revision, position, note: found?.note }
}

/** Wakes the function that waits for changes. A ring while no function waits ends the next wait at once. */
export class Bell {
  readonly #clock: Clock
  #isRung = false
  #wake: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  readonly ring = (): void => {
    this.#isRung = true
    this.#wake?.()
  }

  /** Resolves with the next ring, after a time, or when the signal fires. */
  async rung(withinMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    if (this.#isRung) woken.abort()
    await this.#clock.sleep(withinMs, AbortSignal.any([woken.signal, signal])).catch(() => undefined)
    this.#wake = undefined
    this.#isRung = false
  }
}
