import { NotesClient, NotFoundError } from '@notewire/client'

/** The parts of a note that this application stores. */
export interface ArchivedNote {
  readonly title: string | null
  readonly revision: number
  readonly summary: string | null
}

const notes = new Map<string, ArchivedNote>()

/** Stores the current state of every note that an event named. A real application uses a database. */
export const archive = {
  notes: notes as ReadonlyMap<string, ArchivedNote>,

  /** Reads the note from the service, because events contain no content. */
  async refresh(noteId: string): Promise<void> {
    const client = new NotesClient({
      baseUrl: process.env['NOTES_BASE_URL'] ?? '',
      apiKey: process.env['NOTES_API_KEY'] ?? '',
    })
    try {
      const { note, summary } = await client.notes.content(await client.notes.get(noteId))
      if (summary.status === 'gone') notes.delete(noteId)
      else {
        const markdown = summary.status === 'ready' ? summary.summary.markdown : null
        notes.set(noteId, { title: note.title ?? null, revision: note.revision, summary: markdown })
      }
    } catch (error) {
      // The note was deleted, or the key can no longer see it. A missing summary is a status, not this error.
      if (!(error instanceof NotFoundError)) throw error
      notes.delete(noteId)
    }
  },

  remove(noteId: string): void {
    notes.delete(noteId)
  },
}
