import type { Note, NotePage } from '@notewire/protocol'
import { NotesClientError } from '../errors/notes-client-error.ts'
import type { CallOptions } from '../options/call-options.ts'
import { LIST_NOTES, nameOf } from '../transport/operation.ts'
import type { ListedPage } from './note-page.ts'
import { PageWatch } from './page-watch.ts'
import { RecentTexts } from './recent-texts.ts'

/**
 * The notes that a listing finds, note by note or page by page.
 *
 * The first request is sent when the loop asks for the first note or page. Leaving the loop ends the listing. Each loop is a separate
 * listing.
 *
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 *
 * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
 *
 * for await (const page of client.notes.list({ limit: 100 }).pages()) {
 *   console.log(page.notes.length, page.has_more)
 * }
 * ```
 */
export interface NoteList extends AsyncIterable<Note> {
  /**
   * The same listing page by page. A page may be empty and still have more after it. Only a page shows which notes were left out because they
   * cannot be used (`leftOut`).
   */
  pages(): AsyncIterable<ListedPage>
}

/** Creates a {@link NoteList}. */
export function createNoteList(
  readPage: (cursor: string | undefined) => Promise<ListedPage>,
  firstCursor: string | undefined,
  { signal }: Pick<CallOptions, 'signal'>,
): NoteList {
  const pages = () => readPages(readPage, firstCursor, { watch: new PageWatch(), signal })
  return {
    pages,
    [Symbol.asyncIterator]: () => readNotes(pages(), signal),
  }
}

async function* readNotes(
  pages: AsyncIterable<ListedPage>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Note, undefined, void> {
  for await (const { notes } of pages) {
    for (const note of notes) {
      // Otherwise an abort would have no effect before the end of the page.
      signal?.throwIfAborted()
      yield note
    }
  }
  return undefined
}

/** The number of latest cursors that a listing remembers at least, to notice one that is repeated. */
const REMEMBERED_CURSORS = 20_000

/**
 * Follows `next_cursor` from page to page (contract §4). Requests a page when the loop asks for it, and later if many pages in a row had no
 * new note.
 *
 * @param readPage  reads the page that a cursor leads to, or the first one
 * @param firstCursor  where to start, if not at the beginning
 * @param options.watch  counts the pages without a new note
 * @throws `NotesClientError` if the listing would never end: `cursor_repeated` for a cursor that was used before, `listing_endless` after
 * too many pages in a row without a new note
 */
export async function* readPages<Page extends Pick<NotePage, 'notes' | 'next_cursor'>>(
  readPage: (cursor: string | undefined) => Promise<Page>,
  firstCursor: string | undefined,
  { watch, signal }: { readonly watch: PageWatch; readonly signal: AbortSignal | undefined },
): AsyncGenerator<Page, void, void> {
  const used = new RecentTexts(REMEMBERED_CURSORS)
  let cursor = firstCursor
  for (;;) {
    if (cursor !== undefined) {
      used.add(cursor)
      await watch.pace(signal)
    }
    const page = await readPage(cursor)
    if (page.next_cursor !== null && used.has(page.next_cursor)) throw cursorRepeated()
    watch.record(page)
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
