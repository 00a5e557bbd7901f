import { type NotesClient, NotesClientError } from '@notewire/client'
import type { Note } from '@notewire/protocol'

/** How many notes a page of a full listing holds at most. */
export const NOTES_ON_A_PAGE = 100

/** Lists all notes and tombstones from a cursor on, or from the first page. */
export function pagesOf(client: NotesClient, cursor: string | null, signal: AbortSignal) {
  const query = { include_deleted: true, limit: NOTES_ON_A_PAGE, cursor: cursor ?? undefined }
  return client.notes.list(query, { signal }).pages()
}

/** Whether the service no longer accepts the cursor of a listing, which then begins anew. */
export function isForgottenCursor(error: unknown): boolean {
  return error instanceof NotesClientError && (error.code === 'cursor_expired' || error.code === 'invalid_request')
}

/** The first note of a listing, if it has any: an empty page may have more after it. */
export async function firstListedNote(client: NotesClient, signal: AbortSignal | undefined): Promise<Note | undefined> {
  for await (const { notes } of client.notes.list({ limit: 1 }, { signal }).pages()) {
    if (notes[0] !== undefined) return notes[0]
  }
  return undefined
}
