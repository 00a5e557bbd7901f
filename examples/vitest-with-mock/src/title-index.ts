import { isTombstone, type NotesClient, NotFoundError } from '@notewire/client'
import { createReceiver, type Receiver, type ReceiverOptions } from '@notewire/webhooks'

/** The application under test: an index of note titles that events keep up to date. */
export class TitleIndex {
  readonly #client: NotesClient
  readonly #titles = new Map<string, string>()

  constructor(client: NotesClient) {
    this.#client = client
  }

  /** Reads all notes. */
  async build(): Promise<void> {
    for await (const note of this.#client.notes.list()) this.#titles.set(note.note_id, note.title ?? '')
  }

  /** The receiver that keeps the index up to date. */
  receiver(options: Pick<ReceiverOptions, 'secret' | 'clock'>): Receiver {
    return createReceiver({
      ...options,
      on: {
        'note.ended': ({ data }) => this.#refresh(data.note_id),
        'note.updated': ({ data }) => this.#refresh(data.note_id),
        'note.deleted': ({ data }) => void this.#titles.delete(data.note_id),
      },
    })
  }

  get titles(): readonly string[] {
    return [...this.#titles.values()].sort()
  }

  async #refresh(noteId: string): Promise<void> {
    try {
      const note = await this.#client.notes.get(noteId)
      if (isTombstone(note)) this.#titles.delete(noteId)
      else this.#titles.set(noteId, note.title ?? '')
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      this.#titles.delete(noteId)
    }
  }
}
