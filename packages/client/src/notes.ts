import { type Note, readNote, readSummary, readTranscript, type Summary, type Transcript } from '@notewire/protocol'
import type { CallOptions } from './call-options.ts'
import { createNoteList, type NoteList } from './note-list.ts'
import { encodeNoteListQuery, type NoteListQuery } from './note-list-query.ts'
import { NoteLookup } from './note-lookup.ts'
import { parseNotePage } from './note-page.ts'
import { GET_NOTE, GET_SUMMARY, GET_TRANSCRIPT, LIST_NOTES } from './operation.ts'
import { requireId } from './required-id.ts'
import { readBody } from './response-body.ts'
import type { Transport } from './transport.ts'

/** Notes, their transcripts and summaries: `client.notes` (contract §4). */
export class Notes {
  readonly #transport: Transport
  readonly #notesField: string
  readonly #lookup: NoteLookup

  constructor(transport: Transport, notesField: string) {
    this.#transport = transport
    this.#notesField = notesField
    this.#lookup = new NoteLookup({
      get: (noteId, options) => this.#get(noteId, options),
      list: (query, options) => this.list(query, options),
    })
  }

  /**
   * Lists the notes that the key can see, page after page, in the service's order (contract §4; open points 5 to 7).
   *
   * An abort ends the listing at the next note. The loop throws `NotesClientError` as any call does, and besides
   * `cursor_expired` when the service forgot the cursor, and `cursor_repeated` when its cursors lead in circles.
   *
   * @throws `OptionError` for a query that cannot be one
   * @example
   * ```ts
   * import { NotesClient } from '@notewire/client'
   *
   * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
   *
   * for await (const note of client.notes.list({ updated_after: new Date('2026-01-01') })) {
   *   console.log(note.note_id, note.revision, note.title)
   * }
   * ```
   */
  list(query: NoteListQuery = {}, options: CallOptions = {}): NoteList {
    const parameters = encodeNoteListQuery(query)
    return createNoteList((cursor) => this.#readPage(parameters, cursor, options), query.cursor, options)
  }

  /**
   * Reads one note as it is now. A deleted note may answer with its tombstone, or with `not_found` (open point 8).
   *
   * A service may offer no such operation. That is noticed, and the note is then looked up in the list, deleted notes
   * included: see `readsFromList`.
   *
   * @throws `NotesClientError` `not_found` when the key sees no such note
   */
  async get(noteId: string, options: CallOptions = {}): Promise<Note> {
    return await this.#lookup.find(requireId('note_id', noteId), options)
  }

  /**
   * `true` once `get` found that the service does not offer the reading of one note. Each `get` then pages
   * through the list until it meets the note, which takes many requests: prefer `list` for more than a few.
   */
  get readsFromList(): boolean {
    return this.#lookup.readsFromList
  }

  /**
   * Reads the transcript of a note (scope `transcripts:read`; open point 9).
   *
   * @throws `NotesClientError` `not_ready` while there is none yet
   */
  async transcript(noteId: string, options: CallOptions = {}): Promise<Transcript> {
    const answer = await this.#transport.call(GET_TRANSCRIPT, { id: noteId }, options)
    return readBody(answer, readTranscript)
  }

  /**
   * Reads the summary of a note (scope `summaries:read`; open point 10).
   *
   * @returns while there is none yet, a summary with its `status` and `markdown: null`
   * @throws `NotesClientError` `not_ready` from a service that answers so instead
   */
  async summary(noteId: string, options: CallOptions = {}): Promise<Summary> {
    const answer = await this.#transport.call(GET_SUMMARY, { id: noteId }, options)
    return readBody(answer, readSummary)
  }

  async #get(noteId: string, options: CallOptions): Promise<Note> {
    const answer = await this.#transport.call(GET_NOTE, { id: noteId }, options)
    return readBody(answer, readNote)
  }

  async #readPage(parameters: URLSearchParams, cursor: string | undefined, options: CallOptions) {
    const query = new URLSearchParams(parameters)
    if (cursor !== undefined) query.set('cursor', cursor)
    const answer = await this.#transport.call(LIST_NOTES, { query }, options)
    return readBody(answer, (body) => parseNotePage(body, this.#notesField))
  }
}
