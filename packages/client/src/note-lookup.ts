import type { Note } from '@notewire/protocol'
import { NotFoundError } from './errors/api-error.ts'
import { NotesClientError } from './errors/notes-client-error.ts'
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
    let missing = 0
    for await (const listed of this.#reads.list({ limit: LISTED_NOTES_TO_READ }, options)) {
      if (await this.#canGet(listed.note_id, options)) return false
      missing += 1
      if (missing === LISTED_NOTES_TO_READ) break
    }
    return missing > 0
  }

  async #canGet(noteId: string, options: CallOptions): Promise<boolean> {
    try {
      await this.#get(noteId, options)
      return true
    } catch (error) {
      if (hasCode(error, 'not_found')) return false
      throw error
    }
  }

  async #findInList(noteId: string, options: CallOptions): Promise<Note> {
    for await (const note of this.#reads.list({ limit: 100, include_deleted: true }, options)) {
      if (note.note_id === noteId) return note
    }
    const operation = nameOf(LIST_NOTES)
    throw new NotFoundError(
      `${operation} returned no note with this id, not even a deleted one. Check the id, and check that the API key belongs to the integration that can access the note.`,
      { operation, status: 200, requestId: undefined, serverCode: undefined, attempts: [] },
    )
  }
}

function hasCode(error: unknown, code: 'not_found' | 'not_supported'): boolean {
  return error instanceof NotesClientError && error.code === code
}
