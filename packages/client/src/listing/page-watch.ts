import { type Note, systemClock } from '@notewire/protocol'
import { NotesClientError } from '../errors/notes-client-error.ts'
import { LIST_NOTES, nameOf } from '../transport/operation.ts'
import { RecentTexts } from './recent-texts.ts'

/** The number of idle pages in a row after which a listing throws. A service that filters after paging returns some hundreds. */
const MAX_IDLE_PAGES = 10_000

/** The number of idle pages in a row that are requested without a delay. */
const UNPACED_PAGES = 20

/** How much longer the delay becomes with each further idle page, and its longest, in milliseconds. */
const DELAY_STEP_MS = 10
const MAX_DELAY_MS = 100

/** The number of latest notes that a listing remembers at least, to tell which notes are new. */
const REMEMBERED_NOTES = 50_000

/**
 * Counts the pages in a row without a new note (idle pages). A page is idle if it is empty, if none of its notes can be used, or if the
 * listing has listed all its notes before.
 */
export class PageWatch {
  readonly #noteIds = new RecentTexts(REMEMBERED_NOTES)
  #idlePages: number

  /** @param idlePages  the number of idle pages before the first page */
  constructor(idlePages = 0) {
    this.#idlePages = idlePages
  }

  get idlePages(): number {
    return this.#idlePages
  }

  record({ notes }: { readonly notes: readonly Pick<Note, 'note_id'>[] }): void {
    let hasNewNote = false
    for (const { note_id } of notes) if (this.#noteIds.add(note_id)) hasNewNote = true
    this.#idlePages = hasNewNote ? 0 : this.#idlePages + 1
  }

  /**
   * Waits before the next page is requested: not at all, or longer after each idle page after the twentieth, up to a limit.
   *
   * @throws `NotesClientError` `listing_endless` after the last page that may be idle; the signal's reason
   */
  async pace(signal: AbortSignal | undefined): Promise<void> {
    if (this.#idlePages >= MAX_IDLE_PAGES) throw listingEndless()
    const delayMs = Math.min(MAX_DELAY_MS, (this.#idlePages - UNPACED_PAGES + 1) * DELAY_STEP_MS)
    if (delayMs > 0) await systemClock.sleep(delayMs, signal)
  }
}

function listingEndless(): NotesClientError {
  const operation = nameOf(LIST_NOTES)
  return new NotesClientError(
    'listing_endless',
    operation,
    `${operation} returned ${MAX_IDLE_PAGES} pages in a row without a new note, and a cursor for another page with each, so the listing might never end. The notes listed so far are incomplete. Start the listing again; if this happens again, report it to the service.`,
  )
}
