import { createNotesService } from '@notewire/mock-server'
import type { Note, Summary, Transcript } from '@notewire/protocol'

/** A note with all that the mirror keeps of it. */
export interface WholeNote {
  readonly note: Note
  readonly transcript: Transcript
  readonly summary: Summary
}

/** What every note has before anything changes. */
export const REVISION = 3
export const UPDATED_AT = '2026-01-01T00:00:00.000Z'

const SAMPLES = 200

/** Some notes of the reference service, which all others are made from: a million of them must cost next to nothing. */
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

/** The note at a place of the listing. Its number is a word that occurs in no other. */
export function wholeNoteAt(index: number, samples: readonly WholeNote[], revision = REVISION): WholeNote {
  const note_id = noteIdAt(index)
  const { transcript, summary } = sampleAt(index, samples)
  return {
    note: noteAt(index, samples, revision),
    transcript: { ...transcript, note_id, revision },
    summary: { ...summary, note_id, revision },
  }
}

/** The same without its content. */
export function noteAt(index: number, samples: readonly WholeNote[], revision = REVISION): Note {
  const note_id = noteIdAt(index)
  const { note } = sampleAt(index, samples)
  return { ...note, note_id, revision, title: `${note.title} ${wordAt(index)}`, updated_at: UPDATED_AT }
}

/** The word that occurs in the title of one note alone. */
export function wordAt(index: number): string {
  return `number${index}`
}

/** Identifiers as services make them: their order says nothing of the order of the listing. */
export function noteIdAt(index: number): string {
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0
  return `note_${mixed.toString(36).padStart(7, '0')}${index.toString(36).padStart(INDEX_DIGITS, '0')}`
}

/** The place of a note in the listing. */
export function indexOf(noteId: string): number {
  return Number.parseInt(noteId.slice(-INDEX_DIGITS), 36)
}

const INDEX_DIGITS = 6

function sampleAt(index: number, samples: readonly WholeNote[]): WholeNote {
  const sample = samples[index % samples.length]
  if (sample === undefined) throw new Error('there are no samples')
  return sample
}
