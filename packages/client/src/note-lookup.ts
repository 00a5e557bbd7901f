import type { Note } from '@notewire/protocol'
import { NotFoundError } from './errors/api-error.ts'
import { type InvalidResponseError, NotesClientError } from './errors/notes-client-error.ts'
import type { NoteList } from './listing/note-list.ts'
import type { NoteListQuery } from './listing/note-list-query.ts'
import type { CallOptions } from './options/call-options.ts'
import { LIST_NOTES, nameOf } from './transport/operation.ts'

/** The two operations that can find a note: reading one note, which the contract does not promise, and the list. */
export interface NoteReads {
  get(noteId: string, options: CallOptions): Promise<Note>
  list(query: NoteListQuery, options: CallOptions): NoteList
}

/** How many listed notes to read before the operation counts as missing. One of them may be deleted between the two requests. */
const LISTED_NOTES_TO_READ = 2

/** How long the operation counts as missing, in milliseconds. The 404s may have come from replicas that lagged. */
const MISSING_FOR_MS = 10 * 60_000

/** Reads one note. Remembers whether the service offers this operation, and otherwise looks in the list (open point 8). */
export class NoteLookup {
  readonly #reads: NoteReads
  #operation: 'untried' | 'offered' | 'missing' = 'untried'
  #missingUntil = 0

  constructor(reads: NoteReads) {
    this.#reads = reads
  }

  /** `true` for ten minutes after the service was found not to offer the operation. Every read then pages through the list. */
  get readsFromList(): boolean {
    return this.#operation === 'missing' && performance.now() < this.#missingUntil
  }

  async find(noteId: string, options: CallOptions): Promise<Note> {
    if (this.readsFromList) return this.#findInList(noteId, options)
    try {
      return await this.#get(noteId, options)
    } catch (error) {
      if (!(await this.#operationIsMissing(error, options))) throw error
      this.#operation = 'missing'
      this.#missingUntil = performance.now() + MISSING_FOR_MS
      return this.#findInList(noteId, options)
    }
  }

  async #get(noteId: string, options: CallOptions): Promise<Note> {
    const note = await this.#reads.get(noteId, options)
    this.#operation = 'offered'
    return note
  }

  /** A 404 means a missing note, unless a note that the service just listed answers 404 as well. */
  async #operationIsMissing(error: unknown, options: CallOptions): Promise<boolean> {
    if (hasCode(error, 'not_supported')) return true
    if (!hasCode(error, 'not_found') || this.#operation === 'offered') return false
    const listed = await this.#firstListed(options)
    for (const noteId of listed) if (await this.#canGet(noteId, options)) return false
    return listed.length > 0
  }

  /** @throws InvalidResponseError if the list has notes, but none with an identifier that could be read */
  async #firstListed(options: CallOptions): Promise<readonly string[]> {
    const noteIds: string[] = []
    let unusable: InvalidResponseError | undefined
    for await (const { notes, leftOut } of this.#reads.list({ limit: LISTED_NOTES_TO_READ }, options).pages()) {
      // Not all of them are arguments of one `push`: a page may contain more than a call can have arguments.
      for (const { note_id } of [...notes, ...leftOut]) if (note_id !== undefined) noteIds.push(note_id)
      unusable ??= leftOut[0]?.error
      if (noteIds.length >= LISTED_NOTES_TO_READ) break
    }
    if (noteIds.length === 0 && unusable !== undefined) throw unusable
    return noteIds.slice(0, LISTED_NOTES_TO_READ)
  }

  async #canGet(noteId: string, options: CallOptions): Promise<boolean> {
    try {
      await this.#get(noteId, options)
      return true
    } catch (error) {
      if (hasCode(error, 'not_found')) return false
      // The service has the operation, and this note cannot be used.
      if (hasCode(error, 'invalid_response')) return true
      throw error
    }
  }

  async #findInList(noteId: string, options: CallOptions): Promise<Note> {
    let mayBeThisNote: InvalidResponseError | undefined
    for await (const { notes, leftOut } of this.#reads.list({ limit: 100, include_deleted: true }, options).pages()) {
      const note = notes.find(({ note_id }) => note_id === noteId)
      if (note !== undefined) return note
      mayBeThisNote ??= leftOut.find(({ note_id }) => note_id === noteId || note_id === undefined)?.error
    }
    if (mayBeThisNote !== undefined) throw mayBeThisNote
    const operation = nameOf(LIST_NOTES)
    throw new NotFoundError(
      `${operation} returned no note with this id, not even a deleted one. Check the id, and check that the API key belongs to the integration that can access the note.`,
      { operation, status: 200, requestId: undefined, serverCode: undefined, attempts: [] },
    )
  }
}

function hasCode(error: unknown, code: 'not_found' | 'not_supported' | 'invalid_response'): boolean {
  return error instanceof NotesClientError && error.code === code
}
