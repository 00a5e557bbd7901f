import { type NotesClient, NotesClientError } from '@notewire/client'
import type { Note } from '@notewire/protocol'

/** The maximum number of notes on a page of a listing. */
export const PAGE_SIZE = 100

/** Lists all notes and tombstones, from a cursor or from the first page. */
export function listPages(client: NotesClient, cursor: string | null, signal: AbortSignal) {
  const query = { include_deleted: true, limit: PAGE_SIZE, cursor: cursor ?? undefined }
  return client.notes.list(query, { signal }).pages()
}

/** Whether the service no longer accepts the cursor of a listing, so that the listing must begin again. */
export function isExpiredCursor(error: unknown): boolean {
  return error instanceof NotesClientError && (error.code === 'cursor_expired' || error.code === 'invalid_request')
}

/**
 * Requests the first page of a listing: to find out whether the service answers.
 *
 * @throws NotesClientError if it does not
 */
export async function requestListing(client: NotesClient, signal: AbortSignal): Promise<void> {
  await client.notes.list({ limit: 1 }, { signal }).pages()[Symbol.asyncIterator]().next()
}

/** Returns the first listed note, if there is one. An empty page may be followed by another page. */
export async function firstListedNote(client: NotesClient, signal: AbortSignal): Promise<Note | undefined> {
  for await (const { notes } of client.notes.list({ limit: 1 }, { signal }).pages()) {
    if (notes[0] !== undefined) return notes[0]
  }
  return undefined
}
