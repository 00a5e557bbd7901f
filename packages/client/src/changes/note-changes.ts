import type { Note, NotePage } from '@notewire/protocol'
import { NotesClientError } from '../errors/notes-client-error.ts'
import type { NoteListQuery } from '../listing/note-list-query.ts'
import { readPages } from '../listing/pagination.ts'
import type { CallOptions } from '../options/call-options.ts'
import { decodeCheckpoint, encodeCheckpoint, type Progress } from './checkpoint.ts'
import { OVERLAP_MS, watermarkOf } from './watermark.ts'

/** Where to begin. */
export interface ChangesQuery {
  /**
   * The checkpoint of the last page that was applied, of whichever process. Without one, or with `null`, everything is
   * listed.
   */
  readonly after?: string | null | undefined
}

/** How to ask for changes. */
export interface ChangesOptions extends CallOptions {
  /** Notes on a page. The service decides what it accepts: 1 to 100 is safe. */
  readonly limit?: number | undefined
}

/** Some of the notes that have changed, and the way on. */
export interface ChangesPage {
  /** In their current state, deletion markers included (`isTombstone`). May be empty. */
  readonly notes: readonly Note[]
  /**
   * One word that stands for everything up to this page. Store it, as text of any length, after the notes are applied:
   * whoever passes it as `after` goes on behind this page, and behind the last page, with the next sync.
   */
  readonly checkpoint: string
  /**
   * The service's time up to which everything is known once this sync has ended: when its first page was answered.
   * `undefined` when the service does not tell.
   */
  readonly watermark: Date | undefined
}

/** A page with the header `Date` of its answer. */
interface DatedPage extends NotePage {
  readonly date: string | null
}

/** Reads the page of a listing that a cursor leads to, or the first one. */
export type DatedPageReader = (query: NoteListQuery, cursor: string | undefined) => Promise<DatedPage>

/**
 * Makes one sync over what reads its pages.
 *
 * @throws `OptionError` for a checkpoint that is none
 */
export function createChanges(
  readPage: DatedPageReader,
  { after }: ChangesQuery,
  limit: number | undefined,
): AsyncIterable<ChangesPage> {
  const start = after === undefined || after === null ? FROM_NOTHING : decodeCheckpoint(after)
  return { [Symbol.asyncIterator]: () => readChanges(readPage, start, limit) }
}

const FROM_NOTHING: Progress = { since: null }

async function* readChanges(
  readPage: DatedPageReader,
  start: Progress,
  limit: number | undefined,
): AsyncGenerator<ChangesPage, void, void> {
  let progress = start
  let pages = followCursors()
  let mayStartAgain = true
  for (;;) {
    const next = await pages.next().catch(startAgain)
    if (next.done === true) return
    progress = progressBehind(next.value, progress)
    const until = progress.underWay === undefined ? progress.since : progress.underWay.until
    const watermark = until === null ? undefined : new Date(until)
    yield { notes: next.value.notes, checkpoint: encodeCheckpoint(progress), watermark }
  }

  function followCursors() {
    const query = queryOf(progress, limit)
    return readPages((cursor) => readPage(query, cursor), progress.underWay?.cursor)
  }

  /** A service that forgot the cursor still knows what has changed since this sync's start. */
  function startAgain(error: unknown) {
    if (!mayStartAgain || progress.underWay === undefined || !meansForgottenCursor(error)) throw error
    // Once: cursors that expire faster than their pages are applied would lead round in circles for ever.
    mayStartAgain = false
    progress = { since: progress.since }
    pages = followCursors()
    return pages.next()
  }
}

/**
 * Deletion markers are asked for even when everything is listed: a sync that starts again must show what was deleted
 * after its first start.
 */
function queryOf({ since }: Progress, limit: number | undefined): NoteListQuery {
  const changed = since === null ? {} : { updated_after: new Date(Math.max(0, since - OVERLAP_MS)) }
  return { limit, include_deleted: true, ...changed }
}

function progressBehind(page: DatedPage, progress: Progress): Progress {
  const until = progress.underWay === undefined ? watermarkOf(page, progress.since) : progress.underWay.until
  if (page.next_cursor === null) return { since: until }
  return { since: progress.since, underWay: { cursor: page.next_cursor, until } }
}

/** Not every service names the cursor when it refuses one (open point 22), and without it the query was accepted. */
function meansForgottenCursor(error: unknown): boolean {
  return error instanceof NotesClientError && (error.code === 'cursor_expired' || error.code === 'invalid_request')
}
