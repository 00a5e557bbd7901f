import type { Note } from '@notewire/protocol'
import type { CallOptions } from '../options/call-options.ts'
import { NoteIterator } from './note-iterator.ts'
import type { ListedPage } from './note-page.ts'
import { readPages } from './pagination.ts'

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
  const pages = () => readPages(readPage, firstCursor)
  return {
    pages,
    [Symbol.asyncIterator]: () => new NoteIterator(pages(), signal),
  }
}
