import { InvalidResponseError, type NotesClient, NotesClientError } from '@notewire/client'
import type { Note } from '@notewire/protocol'
import { coalesce } from '../concurrency/calls.ts'
import { firstListedId, listPages } from './full-listing.ts'

/** Reads one note; `undefined` if it is proven that the key cannot access the note. */
export type ReadNote = (noteId: string) => Promise<Note | undefined>

/** What a full listing contains of the wanted notes. It may be of any length, so nothing is kept of the other notes. */
interface FullListing {
  readonly found: ReadonlyMap<string, Note>
  /** The errors of the wanted notes that cannot be used. */
  readonly unusable: ReadonlyMap<string | undefined, InvalidResponseError>
  /** The error of the first note without an identifier that can be used, which may be any note. */
  readonly unidentified: InvalidResponseError | undefined
}

/**
 * Makes the function that reads single notes, even if the service has no operation for that (open point 8).
 *
 * A 404 proves that a note is missing only if another note that is listed afterwards can be read. Otherwise one full listing answers all
 * waiting calls: a note that it does not contain is missing. A record that cannot be used never proves that a note is missing.
 */
export function createNoteReader(client: NotesClient, signal: AbortSignal): ReadNote {
  const readsSingleNotes = coalesce<string, boolean>(canReadListedNote)
  const listed = coalesce<string, FullListing>(findInListing)

  async function canReadListedNote(): Promise<boolean> {
    const noteId = await firstListedId(client, signal)
    try {
      return noteId === undefined || (await getNote(noteId)) !== undefined
    } catch (error) {
      // The service has read that note, although its record cannot be used.
      if (error instanceof InvalidResponseError) return !client.notes.readsFromList
      throw error
    }
  }

  async function findInListing(noteIds: readonly string[]): Promise<FullListing> {
    const wanted = new Set<string | undefined>(noteIds)
    const found = new Map<string, Note>()
    const unusable = new Map<string | undefined, InvalidResponseError>()
    let unidentified: InvalidResponseError | undefined
    for await (const { notes, leftOut } of listPages(client, null, signal)) {
      for (const note of notes.filter(({ note_id }) => wanted.has(note_id))) found.set(note.note_id, note)
      for (const { note_id, error } of leftOut.filter((note) => wanted.has(note.note_id))) unusable.set(note_id, error)
      unidentified ??= leftOut.find(({ note_id }) => note_id === undefined)?.error
    }
    return { found, unusable, unidentified }
  }

  async function listedNote(noteId: string): Promise<Note | undefined> {
    const { found, unusable, unidentified } = await listed(noteId)
    const note = found.get(noteId)
    const error = unusable.get(noteId) ?? unidentified
    if (note === undefined && error !== undefined) throw error
    return note
  }

  async function getNote(noteId: string): Promise<Note | undefined> {
    try {
      return await client.notes.get(noteId, { signal })
    } catch (error) {
      if (error instanceof NotesClientError && error.code === 'not_found') return undefined
      throw error
    }
  }

  // Only one: if the service cannot read single notes, the client lists all notes for each of them.
  let firstRead: Promise<unknown> | undefined

  return async (noteId) => {
    if (firstRead !== undefined) await firstRead
    if (client.notes.readsFromList) return await listedNote(noteId)
    const read = getNote(noteId)
    firstRead ??= read.catch(() => undefined)
    const note = await read
    if (note !== undefined) return note
    if (!client.notes.readsFromList && (await readsSingleNotes(noteId))) return undefined
    return await listedNote(noteId)
  }
}
