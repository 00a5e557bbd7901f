import { type NotesClient, NotFoundError } from '@notewire/client'
import type { MirrorReader } from '@notewire/mirror'
import type { Note } from '@notewire/protocol'
import type { Progress } from '../terminal/progress.ts'
import { compareNote, type Difference } from './compare-note.ts'

interface NoteDifference extends Difference {
  readonly noteId: string
}

export interface Comparison {
  readonly compared: number
  readonly differences: readonly NoteDifference[]
}

interface CompareOptions {
  /** How many notes of the copy, drawn at random. With `all`, every note of the copy and every note that the service lists. */
  readonly notes: number | 'all'
  readonly signal: AbortSignal
  readonly progress: Progress
}

const NOTES_AT_ONCE = 8

/** How much earlier than the last poll a change has to be to count as missed: polls overlap by this time, too (open point 7). */
const POLL_OVERLAP_MS = 5 * 60_000

/** Compares notes of the copy with the service. It does not change the copy. */
export async function compareCopy(
  mirror: MirrorReader,
  client: NotesClient,
  { notes, signal, progress }: CompareOptions,
): Promise<Comparison> {
  const { watermark } = await mirror.status()
  const listedUntil = watermark === null ? Number.NEGATIVE_INFINITY : watermark.getTime() - POLL_OVERLAP_MS
  const known = await noteIdsOf(mirror)
  const chosen = new Set(notes === 'all' ? known : drawn(known, notes))
  const total = chosen.size
  const differences: NoteDifference[] = []
  let compared = 0

  async function differenceOf(noteId: string, listed?: Note): Promise<Difference | undefined> {
    // The copy is read first: if the note changes between both reads, the service has the newer one.
    const copied = { note: await mirror.get(noteId), state: (await mirror.explain(noteId)).state }
    const note = listed ?? (await readNote(client, noteId, signal))
    return compareNote(copied, note && (await client.notes.content(note, { signal })), listedUntil)
  }

  async function compare(noteId: string, listed?: Note): Promise<void> {
    // Only a difference that a second read shows again is one: the note may have changed between the reads of its parts.
    const difference = (await differenceOf(noteId, listed)) && (await differenceOf(noteId))
    if (difference !== undefined) differences.push({ noteId, ...difference })
    compared += 1
    progress.update(compared, Math.max(compared, total))
  }

  if (notes === 'all') {
    for await (const page of client.notes.list({ limit: 100 }, { signal }).pages()) {
      for (const { note_id } of page.notes) chosen.delete(note_id)
      await inGroups(page.notes, (note) => compare(note.note_id, note))
    }
  }
  await inGroups([...chosen], (noteId) => compare(noteId))
  return { compared, differences }
}

async function noteIdsOf(mirror: MirrorReader): Promise<readonly string[]> {
  const noteIds = new Set<string>()
  for await (const { noteId, kind } of mirror.changes()) {
    if (kind === 'hidden' || kind === 'removed') noteIds.delete(noteId)
    else noteIds.add(noteId)
  }
  return [...noteIds]
}

function drawn(noteIds: readonly string[], count: number): readonly string[] {
  const lots = noteIds.map((noteId) => ({ noteId, lot: Math.random() }))
  return lots
    .sort((one, other) => one.lot - other.lot)
    .slice(0, count)
    .map(({ noteId }) => noteId)
}

async function readNote({ notes }: NotesClient, noteId: string, signal: AbortSignal): Promise<Note | undefined> {
  try {
    return await notes.get(noteId, { signal })
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < items.length; begin += NOTES_AT_ONCE) {
    await Promise.all(items.slice(begin, begin + NOTES_AT_ONCE).map(work))
  }
}
