import { type NotesClient, NotesClientError } from '@notewire/client'
import { isTombstone, type Note, type Summary, type Transcript } from '@notewire/protocol'

/** A note with its content, as it was when it was read. */
export interface CopiedNote {
  readonly note: Note
  readonly transcript: Transcript | undefined
  readonly summary: Summary | undefined
}

/** A copy of the notes in memory. Events say which note to look at; what it holds is always read from the service. */
export class NotesCopy {
  readonly #client: NotesClient
  readonly #notes = new Map<string, CopiedNote>()

  constructor(client: NotesClient) {
    this.#client = client
  }

  get notes(): ReadonlyMap<string, CopiedNote> {
    return this.#notes
  }

  /** Keeps a note that was just read, with its transcript and summary. */
  async keep(note: Note): Promise<void> {
    this.#notes.set(note.note_id, await readContent(this.#client, note))
  }

  /** Reads a note again, because an event said that it changed. */
  async refresh(noteId: string): Promise<void> {
    try {
      const note = await this.#client.notes.get(noteId)
      if (isTombstone(note)) this.remove(noteId)
      else await this.keep(note)
    } catch (error) {
      // Gone in the meantime: the event that says so is on its way.
      if (!(error instanceof NotesClientError && error.code === 'not_found')) throw error
      this.remove(noteId)
    }
  }

  remove(noteId: string): void {
    this.#notes.delete(noteId)
  }
}

/** Reads what belongs to a note, as far as it is ready. */
export async function readContent(client: NotesClient, note: Note): Promise<CopiedNote> {
  const [transcript, summary] = await Promise.all([
    note.transcript_status === 'ready' ? client.notes.transcript(note.note_id) : undefined,
    note.summary_status === 'ready' ? client.notes.summary(note.note_id) : undefined,
  ])
  return { note, transcript, summary }
}
