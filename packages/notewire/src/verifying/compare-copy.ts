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
  /** These are no differences: the copy gets the changes with the next poll. */
  readonly behind: readonly NoteDifference[]
}

interface CompareOptions {
  /** How many notes of the copy, drawn at random; or every note of the copy and every note that the service lists. */
  readonly notes: number | 'all'
  readonly signal: AbortSignal
  readonly progress: Progress
}

const NOTES_AT_ONCE = 8

/** A note that changed so long before the last poll is in the copy: polls overlap by this time, too (open point 7). */
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
    // The copy is read first: if the note changes between both reads, the service has the newer one.
    const copied = await mirror.get(noteId)
    const { state } = await mirror.explain(noteId)
    const note = listed ?? (await service.get(noteId, { signal }).catch(undefinedIfMissing))
    return compareNote(copied, state, note && (await service.content(note, { signal })), listedUntil)
  }

  async function compare(note_id: string, listed?: Note): Promise<void> {
    left.delete(note_id)
    // A second read must show the difference again: the note may have changed between the reads of its parts.
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

/** The ids of the notes that the copy shows: all, or as many as `count`, drawn at random. */
async function noteIdsOf(mirror: MirrorReader, count: number | undefined): Promise<readonly string[]> {
  const lots = new Map<string, number>()
  for await (const { noteId, kind } of mirror.changes()) {
    if (kind === 'hidden' || kind === 'removed') lots.delete(noteId)
    else lots.set(noteId, Math.random())
  }
  const drawn = [...lots].sort(([, one], [, other]) => one - other).slice(0, count)
  return drawn.map(([noteId]) => noteId)
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}

async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < items.length; begin += NOTES_AT_ONCE)
    await Promise.all(items.slice(begin, begin + NOTES_AT_ONCE).map(work))
}
