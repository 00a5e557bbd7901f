import { NotesClient, NotesClientError } from '@notewire/client'

/** What we keep of a note. */
export interface ArchivedNote {
  readonly title: string | null
  readonly revision: number
  readonly summary: string | null
}

const notes = new Map<string, ArchivedNote>()

/** Keeps the newest state of every note that events speak of. A real application has a database here. */
export const archive = {
  notes: notes as ReadonlyMap<string, ArchivedNote>,

  /** Events carry no content: what a note holds now is read from the service. */
  async refresh(noteId: string): Promise<void> {
    const client = new NotesClient({
      baseUrl: process.env['NOTES_BASE_URL'] ?? '',
      apiKey: process.env['NOTES_API_KEY'] ?? '',
    })
    try {
      const [note, summary] = await Promise.all([client.notes.get(noteId), client.notes.summary(noteId)])
      notes.set(noteId, { title: note.title ?? null, revision: note.revision, summary: summary.markdown })
    } catch (error) {
      // Gone in the meantime: the event that says so is on its way.
      if (!(error instanceof NotesClientError && error.code === 'not_found')) throw error
      notes.delete(noteId)
    }
  },

  remove(noteId: string): void {
    notes.delete(noteId)
  },
}
