import { createNotesService } from '@notewire/mock-server'
import type { Note, Summary, Transcript } from '@notewire/protocol'

/** A note with all content that a mirror keeps. */
export interface WholeNote {
  readonly note: Note
  readonly transcript: Transcript
  readonly summary: Summary
}

/** The first revision of every note. */
export const REVISION = 3
export const UPDATED_AT = '2026-01-01T00:00:00.000Z'

const SAMPLES = 200

/** Notes of the mock service from which the others are generated, so that a million notes cost almost nothing. */
export async function sampleNotes(): Promise<readonly WholeNote[]> {
  await using service = await createNotesService({ notes: SAMPLES })
  const read = async <Answer>(path: string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${service.apiKey}` }
    return (await service.fetch(new Request(`${service.baseUrl}/v1/notes${path}`, { headers }))).json() as Answer
  }
  const pages = [await read<Page>('?limit=100')]
  pages.push(await read<Page>(`?limit=100&cursor=${pages[0]?.next_cursor}`))
  const notes = pages.flatMap((page) => page.notes)
  return await Promise.all(
    notes.map(async ({ id: _, ...note }) => ({
      note,
      transcript: await read<Transcript>(`/${note.note_id}/transcript`),
      summary: await read<Summary>(`/${note.note_id}/summary`),
    })),
  )
}

interface Page {
  readonly notes: readonly (Note & { readonly id?: string })[]
  readonly next_cursor: string
}

/** The note at an index of the listing. Its title contains a unique word. */
export function wholeNoteAt(index: number, samples: readonly WholeNote[], revision = REVISION): WholeNote {
  const note_id = noteIdAt(index)
  const { transcript, summary } = sampleAt(index, samples)
  return {
    note: noteAt(index, samples, revision),
    transcript: { ...transcript, note_id, revision },
    summary: { ...summary, note_id, revision },
  }
}

/** The note without its content. */
export function noteAt(index: number, samples: readonly WholeNote[], revision = REVISION): Note {
  const note_id = noteIdAt(index)
  const { note } = sampleAt(index, samples)
  return { ...note, note_id, revision, title: `${note.title} ${wordAt(index)}`, updated_at: UPDATED_AT }
}

/** The word that occurs only in the title of this note. */
export function wordAt(index: number): string {
  return `number${index}`
}

/** Identifiers whose order differs from the order of the listing, as those of real services do. */
export function noteIdAt(index: number): string {
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0
  return `note_${mixed.toString(36).padStart(7, '0')}${index.toString(36).padStart(INDEX_DIGITS, '0')}`
}

/** The index of a note in the listing. */
export function indexOf(noteId: string): number {
  return Number.parseInt(noteId.slice(-INDEX_DIGITS), 36)
}

const INDEX_DIGITS = 6

function sampleAt(index: number, samples: readonly WholeNote[]): WholeNote {
  const sample = samples[index % samples.length]
  if (sample === undefined) throw new Error('there are no samples')
  return sample
}
