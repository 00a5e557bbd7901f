import type { Note } from '@notewire/protocol'
import { NotFoundError } from './errors/api-error.ts'
import { type InvalidResponseError, NotesClientError } from './errors/notes-client-error.ts'
import type { NoteList } from './listing/note-list.ts'
import type { NoteListQuery } from './listing/note-list-query.ts'
import type { CallOptions } from './options/call-options.ts'
import { sharingRuns } from './shared-runs.ts'
import { LIST_NOTES, nameOf } from './transport/operation.ts'

/** The two operations that can find a note: reading one note, which the contract does not promise, and the list. */
export interface NoteReads {
  get(noteId: string, options: CallOptions): Promise<Note>
  list(query: NoteListQuery, options: CallOptions): NoteList
}

/** A note to find in a list. */
interface Wanted {
  readonly noteId: string
  readonly options: CallOptions
}

/** What a list contains of the wanted notes. It may be of any length, so nothing is kept of the other notes. */
interface SearchedList {
  readonly found: ReadonlyMap<string, Note>
  /** The errors of the wanted notes that cannot be used. */
  readonly unusable: ReadonlyMap<string | undefined, InvalidResponseError>
  /** The error of the first note without an identifier that can be used, which may be any note. */
  readonly unidentified: InvalidResponseError | undefined
}

/** How many listed notes to read before the operation counts as missing. One of them may be deleted between the two requests. */
const LISTED_NOTES_TO_READ = 2

/** How long the operation counts as missing, in milliseconds. The 404s may have come from replicas that lagged. */
const MISSING_FOR_MS = 10 * 60_000

/**
 * Reads one note. Remembers whether the service offers this operation, and otherwise looks in the list (open point 8). Concurrent calls share the
 * requests that are not about one note.
 */
export class NoteLookup {
  readonly #reads: NoteReads
  readonly #canReadListedNote = sharingRuns<CallOptions, boolean>(async ([options], signal) =>
    this.#readsListedNote({ ...options, signal }),
  )
  readonly #searchedList = sharingRuns<Wanted, SearchedList>(async (wanted, signal) =>
    this.#searchList(new Set(wanted.map(({ noteId }) => noteId)), { ...wanted[0]?.options, signal }),
  )
  #operation: 'untried' | 'offered' | 'missing' = 'untried'
  #missingUntil = 0

  constructor(reads: NoteReads) {
    this.#reads = reads
  }

  /** `true` for ten minutes after the service was found not to offer the operation. Every read then pages through the list. */
  get readsFromList(): boolean {
    return this.#operation === 'missing' && performance.now() < this.#missingUntil
  }

  /** @throws NotFoundError; a 404 counts as such without another request once the service has returned a note */
  async get(noteId: string, options: CallOptions): Promise<Note> {
    if (this.readsFromList) return await this.#getFromList(noteId, options)
    try {
      return await this.#get(noteId, options)
    } catch (error) {
      const isCertain = hasCode(error, 'not_found') && this.#operation === 'offered'
      if (isCertain || (await this.#isOffered(error, options))) throw error
      return await this.#getFromList(noteId, options)
    }
  }

  /** @returns `undefined` if another note can be read now, or if the list does not contain the note */
  async find(noteId: string, options: CallOptions): Promise<Note | undefined> {
    if (this.readsFromList) return await this.#findInList(noteId, options)
    try {
      return await this.#get(noteId, options)
    } catch (error) {
      if (!(await this.#isOffered(error, options))) return await this.#findInList(noteId, options)
      if (hasCode(error, 'not_found')) return undefined
      throw error
    }
  }

  async #get(noteId: string, options: CallOptions): Promise<Note> {
    const note = await this.#reads.get(noteId, options)
    this.#operation = 'offered'
    return note
  }

  /**
   * Whether the service offers the operation, given the error of a read. A 404 means a missing note, unless notes that the service just listed
   * answer 404 as well.
   */
  async #isOffered(error: unknown, options: CallOptions): Promise<boolean> {
    const isOffered = hasCode(error, 'not_found')
      ? await this.#canReadListedNote(options, options.signal)
      : !hasCode(error, 'not_supported')
    // If it has read a note before, the service may only be failing.
    if (!isOffered && this.#operation !== 'offered') {
      this.#operation = 'missing'
      this.#missingUntil = performance.now() + MISSING_FOR_MS
    }
    return isOffered
  }

  async #readsListedNote(options: CallOptions): Promise<boolean> {
    const listed = await this.#firstListed(options)
    for (const noteId of listed) if (await this.#canGet(noteId, options)) return true
    return listed.length === 0
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

  async #getFromList(noteId: string, options: CallOptions): Promise<Note> {
    const note = await this.#findInList(noteId, options)
    if (note !== undefined) return note
    const operation = nameOf(LIST_NOTES)
    throw new NotFoundError(
      `${operation} returned no note with this id, not even a deleted one. Check the id, and check that the API key belongs to the integration that can access the note.`,
      { operation, status: 200, requestId: undefined, serverCode: undefined, attempts: [] },
    )
  }

  /** A record that cannot be used never proves that a note is missing. */
  async #findInList(noteId: string, options: CallOptions): Promise<Note | undefined> {
    const { found, unusable, unidentified } = await this.#searchedList({ noteId, options }, options.signal)
    const note = found.get(noteId)
    const mayBeThisNote = unusable.get(noteId) ?? unidentified
    if (note === undefined && mayBeThisNote !== undefined) throw mayBeThisNote
    return note
  }

  async #searchList(wanted: ReadonlySet<string | undefined>, options: CallOptions): Promise<SearchedList> {
    const found = new Map<string, Note>()
    const unusable = new Map<string | undefined, InvalidResponseError>()
    let unidentified: InvalidResponseError | undefined
    for await (const { notes, leftOut } of this.#reads.list({ limit: 100, include_deleted: true }, options).pages()) {
      for (const note of notes.filter(({ note_id }) => wanted.has(note_id))) found.set(note.note_id, note)
      for (const { note_id, error } of leftOut.filter((note) => wanted.has(note.note_id))) unusable.set(note_id, error)
      unidentified ??= leftOut.find(({ note_id }) => note_id === undefined)?.error
      if (found.size === wanted.size) break
    }
    return { found, unusable, unidentified }
  }
}

function hasCode(error: unknown, code: 'not_found' | 'not_supported' | 'invalid_response'): boolean {
  return error instanceof NotesClientError && error.code === code
}
