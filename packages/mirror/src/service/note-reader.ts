import { type NotesClient, NotesClientError } from '@notewire/client'
import type { Note } from '@notewire/protocol'
import { coalesce } from '../concurrency/coalesce.ts'
import { firstListedNote, listPages } from './full-listing.ts'

/** Reads one note; `undefined` if it is proven that the key cannot access the note. */
export type ReadNote = (noteId: string) => Promise<Note | undefined>

/**
 * Makes the function that reads single notes, even if the service has no operation for that (open point 8).
 *
 * A 404 proves that a note is missing only if another note that is listed afterwards can be read. Otherwise one full listing answers all
 * waiting calls: a note that it does not contain is missing.
 */
export function createNoteReader(client: NotesClient, signal: AbortSignal): ReadNote {
  const readsSingleNotes = coalesce<string, boolean>(canReadListedNote)
  const listed = coalesce<string, ReadonlyMap<string, Note>>(findInListing)

  async function canReadListedNote(): Promise<boolean> {
    const note = await firstListedNote(client, signal)
    return note === undefined || (await getNote(note.note_id)) !== undefined
  }

  async function findInListing(noteIds: readonly string[]): Promise<ReadonlyMap<string, Note>> {
    const wanted = new Set(noteIds)
    const found = new Map<string, Note>()
    for await (const { notes } of listPages(client, null, signal)) {
      for (const note of notes) if (wanted.has(note.note_id)) found.set(note.note_id, note)
    }
    return found
  }

  async function getNote(noteId: string): Promise<Note | undefined> {
    try {
      return await client.notes.get(noteId, { signal })
    } catch (error) {
      if (error instanceof NotesClientError && error.code === 'not_found') return undefined
      throw error
    }
  }

  return async (noteId) => {
    if (client.notes.readsFromList) return (await listed(noteId)).get(noteId)
    const note = await getNote(noteId)
    if (note !== undefined) return note
    if (!client.notes.readsFromList && (await readsSingleNotes(noteId))) return undefined
    return (await listed(noteId)).get(noteId)
  }
}
