import { type NotesClient, NotesClientError } from '@notewire/client'
import type { Note } from '@notewire/protocol'
import { inTheNextRun } from '../next-run.ts'

/** Reads one note; `undefined` when it is not there, and that is to be believed. */
export type ReadNote = (noteId: string) => Promise<Note | undefined>

/**
 * Makes what reads single notes, from a service that may not offer to (open point 8).
 *
 * A 404 is believed only when a note that was listed after it can be read. Otherwise one listing of everything answers for all who
 * wait: what it does not show is not there.
 */
export function createNoteReader(client: NotesClient, signal: AbortSignal | undefined): ReadNote {
  const options = { signal }
  const operationAnswers = inTheNextRun<string, boolean>(async () => await canReadAListedNote())
  const listed = inTheNextRun<string, ReadonlyMap<string, Note>>(findInListing)

  async function canReadAListedNote(): Promise<boolean> {
    for await (const page of client.notes.list({ limit: 1 }, options).pages()) {
      const [note] = page.notes
      // An empty page may have more after it; a listing without any note shows all that there is.
      if (note === undefined) continue
      return (await getNote(note.note_id)) !== undefined
    }
    return true
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
