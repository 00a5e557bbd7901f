import type { NotesClient } from '@notewire/client'
import { type Copy, copiedNote } from './copy.ts'

/**
 * A webhook handler like many first versions: it parses the event, responds at once, then fetches the note and writes it. It does not check
 * the signature, does not remember events, and ignores an error after the response.
 *
 * @param beforeWrite  called before each write; throws if the database of the copy fails
 */
export function naiveReceiver(client: NotesClient, copy: Copy, beforeWrite: () => void) {
  return async (request: Request): Promise<Response> => {
    const event = JSON.parse(await request.text())
    const noteId = event.data.note_id
    if (event.event_type === 'note.deleted') copy.delete(noteId)
    else if (noteId !== undefined) void write(noteId).catch(ignore)
    return new Response(null, { status: 200 })
  }

  async function write(noteId: string): Promise<void> {
    const note = await client.notes.get(noteId)
    const transcript = await client.notes.transcript(noteId).catch(ignore)
    const summary = await client.notes.summary(noteId).catch(ignore)
    beforeWrite()
    copy.set(noteId, copiedNote(note, transcript?.text, summary?.markdown))
  }
}

function ignore(): undefined {
  return undefined
}
