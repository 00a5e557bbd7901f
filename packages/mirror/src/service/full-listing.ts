import type { LeftOutNote, NotesClient } from '@notewire/client'

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

/**
 * Returns the identifier of the first listed note, if there is one. An empty page may be followed by another page.
 *
 * @throws InvalidResponseError if notes are listed, but none with an identifier that can be used
 */
export async function firstListedId(client: NotesClient, signal: AbortSignal): Promise<string | undefined> {
  let unusable: LeftOutNote | undefined
  for await (const { notes, leftOut } of client.notes.list({ limit: 1 }, { signal }).pages()) {
    const listed = [...notes, ...leftOut].find(({ note_id }) => note_id !== undefined)
    if (listed !== undefined) return listed.note_id
    unusable ??= leftOut[0]
  }
  if (unusable !== undefined) throw unusable.error
  return undefined
}
