import {
  type Note,
  OptionError,
  refuseUnknownOptions,
  refuseWithoutMethods,
  type ShapeError,
  type Summary,
  type Transcript,
} from '@notewire/protocol'
import { noteSchema, summarySchema, transcriptSchema } from '@notewire/protocol/schemas'
import { type ChangesOptions, type ChangesPage, type ChangesQuery, createChanges } from './changes/note-changes.ts'
import { type ContentListOptions, createContentList } from './content/list-with-content.ts'
import type { NoteWithContent } from './content/read-content.ts'
import { readNoteContent } from './content/read-content.ts'
import type { DriftWatch } from './drift/drift-watch.ts'
import type { InvalidResponseError } from './errors/notes-client-error.ts'
import { createNoteList, type NoteList } from './listing/note-list.ts'
import { encodeNoteListQuery, type NoteListQuery, refuseCallOptions } from './listing/note-list-query.ts'
import { type ListedPage, parseNotePage } from './listing/note-page.ts'
import { NoteLookup } from './note-lookup.ts'
import { CALL_OPTIONS, type CallOptions, refuseWrongCallOptions } from './options/call-options.ts'
import type { Answer } from './transport/call.ts'
import { GET_NOTE, GET_SUMMARY, GET_TRANSCRIPT, LIST_MORE_NOTES, LIST_NOTES } from './transport/operation.ts'
import { invalidResponse, readBody, readResource } from './transport/response-body.ts'
import { requireId, type Transport } from './transport/transport.ts'

/** Notes, their transcripts and summaries: `client.notes` (contract §4). */
export class Notes {
  readonly #transport: Transport
  readonly #notesField: string
  readonly #drift: DriftWatch
  readonly #lookup: NoteLookup

  constructor(transport: Transport, notesField: string, drift: DriftWatch) {
    this.#transport = transport
    this.#notesField = notesField
    this.#drift = drift
    this.#lookup = new NoteLookup({
      get: (noteId, options) => this.#get(noteId, options),
      list: (query, options) => this.list(query, options),
    })
  }

  /**
   * Lists the notes that the key can see, page after page, in the service's order (contract §4; open points 5 to 7).
   *
   * A note without a usable identifier or revision is left out: `pages()` shows it, and `onDrift` reports it (open point 39).
   *
   * An abort ends the listing at the next note. The loop throws the errors of any call; also `cursor_expired` if the service no longer
   * accepts the cursor, `cursor_repeated` if the service returns a cursor again, and `listing_endless` after 10,000 pages in a row without
   * a new note. After twenty such pages, the next pages are requested with a delay of up to 0.1 s.
   *
   * @throws `OptionError` for an invalid query
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
    refuseWrongCallOptions('notes.list', options)
    const readPage = async (cursor: string | undefined) =>
      this.#readPage(await this.#requestPage(parameters, cursor, options))
    return createNoteList(readPage, query.cursor, options)
  }

  /**
   * Lists the notes that changed since the last sync, page by page. The loop is one sync. Store the checkpoint of each page after its
   * notes are applied: the next loop continues there (contract §6.3, open point 7).
   *
   * A page may repeat after a crash, and each sync starts five minutes before the end of the one before. Apply a note if its revision is
   * not lower than the revision of your copy. Remove your copy if the note is a tombstone; the service may list none here. A sync never
   * lists notes that left the key's visibility: only a full `list`, without `updated_after`, shows that they are missing.
   *
   * If the service no longer accepts the cursor (400, 404, 409, 410, 422, or the code `invalid_cursor` or `cursor_expired`), the sync starts
   * again from its beginning, once per loop: the next page is its first page, and its `restarted` is `true`. The second time, the loop throws
   * `cursor_expired`, or `invalid_request` for a 400 or 422 without such a code. The checkpoint counts pages in a row without a new note: the
   * loop throws `listing_endless` after 10,000.
   *
   * @throws `OptionError` for an invalid checkpoint
   * @example
   * ```ts
   * import { readFile, writeFile } from 'node:fs/promises'
   * import { isTombstone, type Note } from '@notewire/protocol'
   * import { NotesClient } from '@notewire/client'
   *
   * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
   * const copy = new Map<string, Note>()
   *
   * const after = await readFile('checkpoint', 'utf8').catch(() => undefined)
   * for await (const page of client.notes.changes({ after })) {
   *   for (const note of page.notes) {
   *     if (isTombstone(note)) copy.delete(note.note_id)
   *     else copy.set(note.note_id, note)
   *   }
   *   await writeFile('checkpoint', page.checkpoint)
   * }
   * ```
   */
  changes(query: ChangesQuery = {}, options: ChangesOptions = {}): AsyncIterable<ChangesPage> {
    refuseCallOptions('notes.changes', query, ['limit', 'clock', ...CALL_OPTIONS])
    refuseUnknownOptions('notes.changes', query, { after: true })
    refuseWrongCallOptions('notes.changes', options, ['limit', 'clock'])
    const { limit, clock, ...callOptions } = options
    encodeNoteListQuery({ limit })
    if (clock !== undefined) refuseWithoutMethods('clock', clock, ['now'])
    return createChanges(
      async (listQuery, cursor) => {
        const answer = await this.#requestPage(encodeNoteListQuery(listQuery), cursor, callOptions)
        return { ...this.#readPage(answer), date: answer.headers.get('date') }
      },
      query,
      { limit, clock, signal: callOptions.signal },
    )
  }

  /**
   * Lists notes with their transcript and their summary, in the order of the list. Reads at most `concurrency` notes ahead of the loop.
   * Leaving the loop aborts the requests in flight.
   *
   * Missing content is no error: it has a `status`. Content is read if its status in the list is `ready` or absent. Needs the scopes
   * `notes:read`, `transcripts:read` and `summaries:read`.
   *
   * @throws `OptionError` for an invalid query
   * @example
   * ```ts
   * import { NotesClient } from '@notewire/client'
   *
   * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
   *
   * for await (const { note, transcript, summary } of client.notes.listWithContent({}, { concurrency: 8 })) {
   *   if (transcript.status === 'ready') console.log(note.title, transcript.transcript.text)
   *   if (summary.status === 'ready') console.log(summary.summary.markdown)
   * }
   * ```
   */
  listWithContent(query: NoteListQuery = {}, options: ContentListOptions = {}): AsyncIterable<NoteWithContent> {
    // Rejects an invalid query now. The list would reject it when the loop begins.
    encodeNoteListQuery(query)
    refuseWrongCallOptions('notes.listWithContent', options, ['concurrency'])
    return createContentList(
      {
        list: (callOptions) => this.list(query, callOptions),
        transcript: (noteId, callOptions) => this.transcript(noteId, callOptions),
        summary: (noteId, callOptions) => this.summary(noteId, callOptions),
      },
      options,
    )
  }

  /**
   * Reads one note as it is now. A deleted note may answer with its tombstone, or with `not_found` (open point 8).
   *
   * If the service does not offer this operation, the note is looked up in the list, deleted notes included: see `readsFromList`.
   *
   * @throws `NotFoundError` if the key can access no such note
   */
  async get(noteId: string, options: CallOptions = {}): Promise<Note> {
    return await this.#lookup.get(requireId('note_id', noteId), options)
  }

  /**
   * Finds one note, or proves that the key can access no such note: before you remove your copy of a note, for example. A 404 alone may come from
   * a failing service. So after a 404, the client also reads a note that the service has just listed. If that is answered 404 as well, the note is
   * looked up in the list.
   *
   * Concurrent calls share the requests that are not about one note. Those have the options of the first of these calls.
   *
   * @returns the note, which may be a tombstone; `undefined` if the key can access no such note
   * @throws `InvalidResponseError` if a record that cannot be used may be this note
   * @example
   * ```ts
   * import { isTombstone } from '@notewire/protocol'
   * import { NotesClient } from '@notewire/client'
   *
   * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
   *
   * const note = await client.notes.find('note_1')
   * if (note === undefined || isTombstone(note)) console.log('remove the copy of note_1')
   * ```
   */
  async find(noteId: string, options: CallOptions = {}): Promise<Note | undefined> {
    refuseWrongCallOptions('notes.find', options)
    return await this.#lookup.find(requireId('note_id', noteId), options)
  }

  /**
   * `true` after `get` found that the service does not offer to read one note. Each `get` then pages through the list until it finds the
   * note. That takes many requests: use `list` for more than a few notes. After ten minutes, `get` tries the operation again.
   */
  get readsFromList(): boolean {
    return this.#lookup.readsFromList
  }

  /**
   * Reads the transcript of a note (scope `transcripts:read`; open point 9).
   *
   * @throws `NotesClientError` `not_ready` while there is none yet; `content_not_found` for a 404 that does not say `not_ready`. The
   * note may still exist: read it with `get`.
   */
  async transcript(noteId: string, options: CallOptions = {}): Promise<Transcript> {
    const answer = await this.#transport.call(GET_TRANSCRIPT, { id: noteId }, options)
    return readResource(answer, transcriptSchema, 'the transcript', (reading) => this.#drift('transcript', reading))
  }

  /**
   * Reads the summary of a note (scope `summaries:read`; open point 10).
   *
   * @returns while there is none yet, a summary with its `status` and `markdown: null`
   * @throws `NotesClientError` `not_ready` from a service that answers so instead; `content_not_found` for a 404 that does not say
   * `not_ready`. The note may still exist: read it with `get`.
   */
  async summary(noteId: string, options: CallOptions = {}): Promise<Summary> {
    const answer = await this.#transport.call(GET_SUMMARY, { id: noteId }, options)
    return readResource(answer, summarySchema, 'the summary', (reading) => this.#drift('summary', reading))
  }

  /**
   * Reads the transcript and the summary of a note that was listed or read before, concurrently. If one of the two requests fails, the
   * other is aborted.
   *
   * Missing content is no error: it has a `status`. Content is read if its status in the note is `ready` or absent. Needs the scopes
   * `transcripts:read` and `summaries:read`.
   *
   * @example
   * ```ts
   * import { NotesClient } from '@notewire/client'
   *
   * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
   *
   * const { transcript } = await client.notes.content(await client.notes.get('note_1'))
   * if (transcript.status === 'ready') console.log(transcript.transcript.text)
   * ```
   */
  async content(note: Note, options: CallOptions = {}): Promise<NoteWithContent> {
    const wrong = whatInsteadOfNote(note)
    if (wrong !== undefined) throw new OptionError('note', `note is ${wrong}`)
    requireId('note.note_id', note?.note_id)
    refuseWrongCallOptions('notes.content', options)
    return await readNoteContent(note, this, options)
  }

  async #get(noteId: string, options: CallOptions): Promise<Note> {
    const answer = await this.#transport.call(GET_NOTE, { id: noteId }, options)
    return readResource(answer, noteSchema, 'the note', (reading) => this.#drift('note', reading))
  }

  async #requestPage(parameters: URLSearchParams, cursor: string | undefined, options: CallOptions): Promise<Answer> {
    const query = new URLSearchParams(parameters)
    if (cursor !== undefined) query.set('cursor', cursor)
    return await this.#transport.call(cursor === undefined ? LIST_NOTES : LIST_MORE_NOTES, { query }, options)
  }

  #readPage(answer: Answer): ListedPage {
    const { readings, leftOut, ...page } = readBody(answer, (body) => parseNotePage(body, this.#notesField))
    for (const reading of readings) this.#drift('note', reading)
    const errors = new Map<ShapeError, InvalidResponseError>()
    return {
      ...page,
      leftOut: leftOut.map(({ note_id, problem }) => {
        const error = errors.get(problem) ?? invalidResponse(answer, problem)
        errors.set(problem, error)
        return { note_id, error }
      }),
    }
  }
}

function whatInsteadOfNote(note: unknown): string | undefined {
  if (typeof note === 'string') return 'an id. Pass the note itself: content(await client.notes.get(id)).'
  if (Array.isArray(note)) return 'a list. Call content for each of its notes, or use client.notes.listWithContent().'
  if (typeof Object(note).then === 'function')
    return 'a promise. Pass the note itself: content(await client.notes.get(id)).'
  if (Object(Object(note).note).note_id === undefined) return undefined
  return 'a note with its content. Pass the note in it: content(given.note).'
}
