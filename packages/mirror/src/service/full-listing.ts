import type { NotesClient } from '@notewire/client'

/** The maximum number of notes on a page of a listing. */
export const PAGE_SIZE = 100

/** Lists all notes and tombstones, from a cursor or from the first page. */
export function listPages(client: NotesClient, cursor: string | null, signal: AbortSignal) {
  const query = { include_deleted: true, limit: PAGE_SIZE, cursor: cursor ?? undefined }
  return client.notes.list(query, { signal }).pages()
}

/** Requests the first page of a listing, which fails if the service does not answer. */
export async function requestListing(client: NotesClient, signal: AbortSignal): Promise<void> {
  await client.notes.list({ limit: 1 }, { signal }).pages()[Symbol.asyncIterator]().next()
}
