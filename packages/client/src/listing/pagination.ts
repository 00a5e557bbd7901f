import type { NotePage } from '@notewire/protocol'
import { NotesClientError } from '../errors/notes-client-error.ts'
import { LIST_NOTES, nameOf } from '../transport/operation.ts'

/**
 * Follows `next_cursor` from page to page (contract §4). Requests a page when the loop asks for it.
 *
 * @param readPage  reads the page that a cursor leads to, or the first one
 * @param firstCursor  where to start, if not at the beginning
 * @throws `NotesClientError` `cursor_repeated` for a cursor that was used before: the listing would never end
 */
export async function* readPages<Page extends Pick<NotePage, 'next_cursor'>>(
  readPage: (cursor: string | undefined) => Promise<Page>,
  firstCursor: string | undefined,
): AsyncGenerator<Page, void, void> {
  const used = new Set<string>()
  let cursor = firstCursor
  for (;;) {
    if (cursor !== undefined) used.add(cursor)
    const page = await readPage(cursor)
    if (page.next_cursor !== null && used.has(page.next_cursor)) throw cursorRepeated()
    yield page
    if (page.next_cursor === null) return
    cursor = page.next_cursor
  }
}

function cursorRepeated(): NotesClientError {
  const operation = nameOf(LIST_NOTES)
  return new NotesClientError(
    'cursor_repeated',
    operation,
    `${operation} returned a cursor that this listing has already used, so the listing would never end. The notes listed so far are incomplete. Start the listing again; if this happens again, report it to the service.`,
  )
}
