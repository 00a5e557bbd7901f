import { type Clock, type Note, parseTime, systemClock } from '@notewire/protocol'
import { NotesClientError } from '../errors/notes-client-error.ts'
import { readPages } from '../listing/note-list.ts'
import type { NoteListQuery } from '../listing/note-list-query.ts'
import type { LeftOutNote, ListedPage } from '../listing/note-page.ts'
import { PageWatch } from '../listing/page-watch.ts'
import type { CallOptions } from '../options/call-options.ts'
import { decodeCheckpoint, encodeCheckpoint, type Progress } from './checkpoint.ts'

/** Where a sync starts. */
export interface ChangesQuery {
  /**
   * The checkpoint of the last page that was applied, by this process or another. Without one, or with `null`, every note is listed.
   */
  readonly after?: string | null | undefined
}

/** The options of `notes.changes`. */
export interface ChangesOptions extends CallOptions {
  /** Notes on a page. The service decides what it accepts: 1 to 100 is safe. */
  readonly limit?: number | undefined
  /**
   * The clock that bounds the watermark. A test with virtual time passes the clock of its service.
   *
   * @default the clock of the machine
   */
  readonly clock?: Pick<Clock, 'now'> | undefined
}

/** Some of the notes that have changed, and the checkpoint after them. */
export interface ChangesPage {
  /** In their current state, deletion markers included (`isTombstone`). May be empty. */
  readonly notes: readonly Note[]
  /** The changed notes of this page that cannot be used. The checkpoint goes past them: read them again later. */
  readonly leftOut: readonly LeftOutNote[]
  /**
   * Pass it as `after` to continue after this page; after the last page, this starts the next sync. Store it after the notes are
   * applied. It is text of any length, without spaces.
   */
  readonly checkpoint: string
  /**
   * The service's time when it answered the first page, and never later than this machine's time. After the sync, all changes up to
   * this time are known. `undefined` if the service does not send its time.
   */
  readonly watermark: Date | undefined
  /** Whether another page of this sync follows. */
  readonly has_more: boolean
  /**
   * Whether this is the first page of the sync once more, because the service no longer accepted the cursor. The pages before it are listed
   * again.
   */
  readonly restarted: boolean
}

/** A page, and the header `Date` of its response. */
interface DatedPage extends ListedPage {
  readonly date: string | null
}

/** Reads the page of a listing that a cursor leads to, or the first one. */
export type DatedPageReader = (query: NoteListQuery, cursor: string | undefined) => Promise<DatedPage>

type ListingOptions = Pick<ChangesOptions, 'limit' | 'clock' | 'signal'>

/**
 * Lists what changed since a checkpoint. Each loop is one sync.
 *
 * @throws `OptionError` for an invalid checkpoint
 */
export function createChanges(
  readPage: DatedPageReader,
  { after }: ChangesQuery,
  options: ListingOptions,
): AsyncIterable<ChangesPage> {
  const start = after === undefined || after === null ? FIRST_SYNC : decodeCheckpoint(after)
  return { [Symbol.asyncIterator]: () => readChanges(readPage, start, options) }
}

/**
 * How long before its watermark each sync starts, in milliseconds. It allows for coarse timestamps, for servers whose clocks differ, and
 * for a page that the service read some time before it set the header `Date`.
 */
const OVERLAP_MS = 5 * 60_000

const FIRST_SYNC: Progress = { since: null }

async function* readChanges(
  readPage: DatedPageReader,
  start: Progress,
  { limit, clock = systemClock, signal }: ListingOptions,
): AsyncGenerator<ChangesPage, void, void> {
  const watch = new PageWatch(start.underWay?.idlePages)
  let progress = notAhead(start, clock.now())
  let pages = followCursors()
  let mayStartAgain = true
  let restarted = false
  for (;;) {
    const next = await pages.next().catch(startAgain)
    if (next.done === true) return
    progress = progressAfter(next.value, progress, watch.idlePages, clock.now())
    const until = progress.underWay === undefined ? progress.since : progress.underWay.until
    const watermark = until === null ? undefined : new Date(until)
    const { notes, leftOut, has_more } = next.value
    yield { notes, leftOut, checkpoint: encodeCheckpoint(progress), watermark, has_more, restarted }
    restarted = false
  }

  function followCursors() {
    const query = queryOf(progress, limit)
    return readPages((cursor) => readPage(query, cursor), progress.underWay?.cursor, { watch, signal })
  }

  /** After the cursor has expired, the service can still list what has changed since the start of this sync. */
  function startAgain(error: unknown) {
    if (!mayStartAgain || progress.underWay === undefined || !isExpiredCursor(error)) throw error
    // Only once: if cursors expire faster than their pages are applied, the sync would never end.
    mayStartAgain = false
    restarted = true
    progress = { since: progress.since }
    pages = followCursors()
    return pages.next()
  }
}

/** The first sync lists deletion markers too: if it starts again, it must show the notes that were deleted after its first start. */
function queryOf({ since }: Progress, limit: number | undefined): NoteListQuery {
  const changed = since === null ? {} : { updated_after: new Date(Math.max(0, since - OVERLAP_MS)) }
  return { limit, include_deleted: true, ...changed }
}

function progressAfter(page: DatedPage, progress: Progress, idlePages: number, now: number): Progress {
  const until = progress.underWay === undefined ? watermarkOf(page, progress.since, now) : progress.underWay.until
  if (page.next_cursor === null) return { since: until }
  return { since: progress.since, underWay: { cursor: page.next_cursor, until, idlePages } }
}

/** Some services reject an unknown cursor as an invalid request (open point 22). The rest of the query was accepted before. */
function isExpiredCursor(error: unknown): boolean {
  return error instanceof NotesClientError && (error.code === 'cursor_expired' || error.code === 'invalid_request')
}

/** The parts of the first page of a sync that show the service's time. */
interface FirstPage {
  /** The header `Date` of its response. */
  readonly date: string | null
  readonly notes: readonly Note[]
}

/**
 * Leaves out of a stored checkpoint what a wrong time has put ahead of this machine's clock: changes before such a time would never be
 * listed. A sync that started from such a watermark lists everything. The overlap allows for machines whose clocks differ.
 */
function notAhead({ since, underWay }: Progress, now: number): Progress {
  const isAhead = (watermark: number | null) => watermark !== null && watermark > now + OVERLAP_MS
  if (isAhead(since)) return FIRST_SYNC
  if (underWay === undefined || !isAhead(underWay.until))
    return underWay === undefined ? { since } : { since, underWay }
  // When its first page was answered is not known, so the next sync starts where this one did.
  return { since, underWay: { ...underWay, until: since } }
}

/**
 * The watermark of the sync that starts with a page, in milliseconds: the service's time of the response, else the latest change on the
 * page, else the watermark of the previous sync. This machine's time bounds it, and never advances it: a header `Date` may be wrong, and
 * a note may be dated in the future.
 */
export function watermarkOf({ date, notes }: FirstPage, previous: number | null, now: number): number | null {
  const answeredAt = Date.parse(date ?? '')
  if (!Number.isNaN(answeredAt)) return Math.min(answeredAt, now)
  return notes
    .map(({ updated_at }) => parseTime(updated_at) ?? null)
    .filter((changedAt) => changedAt === null || changedAt <= now)
    .reduce(later, previous)
}

function later(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}
