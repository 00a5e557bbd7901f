import { type NotesClient, NotesClientError } from '@notewire/client'
import type { Note } from '@notewire/protocol'
import { coalesce } from '../concurrency/coalesce.ts'
import { firstListedNote } from './full-listing.ts'

/** Reads one note; `undefined` if it is proven that the key cannot access it. */
export type ReadNote = (noteId: string) => Promise<Note | undefined>

/**
 * Makes the function that reads single notes, also from a service that cannot read single notes (open point 8).
 *
 * A 404 is believed only if a note that was listed after it can be read. Otherwise one listing of everything answers for all waiting
 * calls: a note that it does not show is not there.
 */
export function createNoteReader(client: NotesClient, signal: AbortSignal | undefined): ReadNote {
  const options = { signal }
  const operationAnswers = coalesce<string, boolean>(canReadAListedNote)
  const listed = coalesce<string, ReadonlyMap<string, Note>>(findInListing)

  async function canReadAListedNote(): Promise<boolean> {
    const note = await firstListedNote(client, signal)
    return note === undefined || (await getNote(note.note_id)) !== undefined
  }

  async function findInListing(noteIds: readonly string[]): Promise<ReadonlyMap<string, Note>> {
    const wanted = new Set(noteIds)
    const found = new Map<string, Note>()
    for await (const note of client.notes.list({ limit: 100, include_deleted: true }, options)) {
      if (wanted.has(note.note_id)) found.set(note.note_id, note)
    }
    return found
  }

  async function getNote(noteId: string): Promise<Note | undefined> {
    try {
      return await client.notes.get(noteId, options)
    } catch (error) {
      if (error instanceof NotesClientError && error.code === 'not_found') return undefined
      throw error
    }
  }

  return async (noteId) => {
    if (client.notes.readsFromList) return (await listed(noteId)).get(noteId)
    const note = await getNote(noteId)
    if (note !== undefined) return note
    if (!client.notes.readsFromList && (await operationAnswers(noteId))) return undefined
    return (await listed(noteId)).get(noteId)
  }
}
