import { type NotesClient, noteHandlers } from '@notewire/client'
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
      ...noteHandlers(this.#client, {
        parts: [],
        changed: ({ note }) => this.#titles.set(note.note_id, note.title ?? ''),
        removed: ({ noteId }) => this.#titles.delete(noteId),
      }),
    })
  }

  get titles(): readonly string[] {
    return [...this.#titles.values()].sort()
  }
}
