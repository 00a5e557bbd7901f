import { type NotesClient, NotFoundError } from '@notewire/client'
import type { MirrorReader } from '@notewire/mirror'
import type { Note } from '@notewire/protocol'
import type { Progress } from '../terminal/progress.ts'
import { compareNote, type Difference } from './compare-note.ts'

interface NoteDifference extends Pick<Difference, 'fields'> {
  readonly note_id: string
}

export interface Comparison {
  readonly compared: number
  readonly different: readonly NoteDifference[]
  /** Notes that changed after the last poll. They are not in `different`, because the next poll updates the copy. */
  readonly behind: readonly NoteDifference[]
}

interface CompareOptions {
  /** The number of notes of the copy, chosen at random. `'all'` compares every note of the copy and every note that the service lists. */
  readonly notes: number | 'all'
  readonly signal: AbortSignal
  readonly progress: Progress
}

const NOTES_AT_ONCE = 8

/** A change that is older than the last poll by this time must be in the copy. Polls of the mirror overlap by the same time (open point 7). */
const POLL_OVERLAP_MS = 5 * 60_000

/** Compares notes of the copy with the service. It does not change the copy. */
export async function compareCopy(
  mirror: MirrorReader,
  { notes: service }: NotesClient,
  { notes, signal, progress }: CompareOptions,
): Promise<Comparison> {
  const { watermark } = await mirror.status()
  const listedUntil = (watermark?.getTime() ?? Number.NEGATIVE_INFINITY) - POLL_OVERLAP_MS
  const left = new Set(await noteIdsOf(mirror, notes === 'all' ? undefined : notes))
  const total = left.size
  const found = { compared: 0, different: [] as NoteDifference[], behind: [] as NoteDifference[] }

  async function differenceOf(noteId: string, listed?: Note): Promise<Difference | undefined> {
    // The copy is read first. If the note changes between the two reads, the service returns the newer revision.
    const copied = await mirror.get(noteId)
    const { state } = await mirror.explain(noteId)
    const note = listed ?? (await service.get(noteId, { signal }).catch(undefinedIfMissing))
    return compareNote(copied, state, note && (await service.content(note, { signal })), listedUntil)
  }

  async function compare(note_id: string, listed?: Note): Promise<void> {
    left.delete(note_id)
    // A difference counts only if a second read confirms it: the note may have changed while its parts were read.
    const difference = (await differenceOf(note_id, listed)) && (await differenceOf(note_id))
    if (difference) found[difference.isBehind ? 'behind' : 'different'].push({ note_id, fields: difference.fields })
    found.compared += 1
    progress.update(found.compared, Math.max(found.compared, total))
  }

  if (notes === 'all') {
    for await (const page of service.list({ limit: 100 }, { signal }).pages())
      await inGroups(page.notes, (note) => compare(note.note_id, note))
  }
  await inGroups([...left], (noteId) => compare(noteId))
  return found
}

/** The IDs of the visible notes of the copy: all, or `count` of them, chosen at random. */
async function noteIdsOf(mirror: MirrorReader, count: number | undefined): Promise<readonly string[]> {
  const order = new Map<string, number>()
  for await (const { noteId, kind } of mirror.changes()) {
    if (kind === 'hidden' || kind === 'removed') order.delete(noteId)
    else order.set(noteId, Math.random())
  }
  const chosen = [...order].sort(([, one], [, other]) => one - other).slice(0, count)
  return chosen.map(([noteId]) => noteId)
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}

async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < items.length; begin += NOTES_AT_ONCE)
    await Promise.all(items.slice(begin, begin + NOTES_AT_ONCE).map(work))
}
