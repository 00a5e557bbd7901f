import { type MirrorStore, openMirror } from '@notewire/mirror'
import type { Clock } from '@notewire/protocol'

/** What a user can read from a mirror, as JSON. */
export interface MirrorReads {
  readonly status: unknown
  readonly notes: readonly unknown[]
  readonly changes: readonly unknown[]
  readonly found: Readonly<Record<string, readonly string[]>>
  /** What is known of each note that was ever named. */
  readonly states: Readonly<Record<string, unknown>>
}

/** One word of each part of a note, one that no visible note contains, and the beginning of a word. */
const WORDS = ['walrus', 'ünïcode', 'morning', 'agreed', 'gone', 'bud'] as const

/** Reads a mirror in every way that does not depend on how its store counts. */
export async function readMirror(
  store: MirrorStore,
  integration: string,
  noteIds: readonly string[],
  clock: Clock,
): Promise<MirrorReads> {
  const mirror = openMirror({ store, integration, clock })
  const { position: _ofThisStore, ...status } = await mirror.status()
  const changes = (await allOf(mirror.changes())).map(({ position: _, ...change }) => change)
  const found = await Promise.all(
    WORDS.map(async (word) => [word, (await mirror.search(word)).map(({ note }) => note.note_id).sort()]),
  )
  const states = await Promise.all(noteIds.map(async (noteId) => [noteId, (await mirror.explain(noteId)).state]))
  const notes = await allOf(mirror.list())
  const reads = { status, notes, changes, found: Object.fromEntries(found), states: Object.fromEntries(states) }
  return JSON.parse(JSON.stringify(reads)) as MirrorReads
}

/** Collects what a loop yields. */
export async function allOf<One>(loop: AsyncIterable<One>): Promise<readonly One[]> {
  const all: One[] = []
  for await (const one of loop) all.push(one)
  return all
}
