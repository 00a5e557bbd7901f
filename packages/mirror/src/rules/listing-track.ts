import { ApiError, NotesClientError } from '@notewire/client'
import { MirrorError } from '../interfaces/errors.ts'
import type { ListingTrack } from '../interfaces/progress.ts'
import { isAhead } from './time.ts'

/** The number of pages in a row without a new note after which a listing waits. A service that filters after paging returns some hundreds. */
export const MAX_IDLE_PAGES = 10_000

/** The number of such pages after which a listing is slowed down. */
const UNPACED_PAGES = 20

/** The number of answers 500 in a row to a cursor after which the service may no longer know the cursor. */
const MAX_FAILURES = 3

/** How often a listing is restarted without a wait if it gets no further. */
const FREE_RESTARTS = 2

const FIRST_WAIT_MS = 5 * 60_000
const MAX_WAIT_MS = 60 * 60_000

interface TrackedPage {
  /** How many notes it has, whether they can be used or not. */
  readonly listed: number
  readonly newNotes: number
  /** Whether it is page one of a listing that was restarted. */
  readonly isRestart: boolean
}

/**
 * The track of a listing after a page that is not the last. A restart keeps the number of idle pages. Until the listing is where it was before
 * the restart, a page with notes does not change that number.
 */
export function trackAfterPage(track: ListingTrack | undefined, page: TrackedPage): ListingTrack {
  const { waitUntil: _, failures: __, ...before } = page.isRestart ? restarted(track) : (track ?? {})
  const { furthest = 0, idlePages = 0 } = before
  const listed = (before.listed ?? 0) + page.listed
  const isRelisted = page.listed > 0 && listed <= furthest
  if (isRelisted) return { ...before, listed }
  if (page.newNotes === 0) return { ...before, idlePages: idlePages + 1 }
  const { startedAfter } = before
  return { listed, startedAfter }
}

function restarted({ listed = 0, furthest = 0, restarts = 0, ...track }: ListingTrack = {}): ListingTrack {
  return { ...track, furthest: Math.max(furthest, listed), restarts: restarts + 1 }
}

/** What a failed request with a cursor says about the cursor: the service may not know it, or it answered 500; `undefined` if nothing. */
export function cursorSuspicion(error: unknown): 'unknown' | 'failed' | undefined {
  if (!(error instanceof ApiError)) return undefined
  // 400 and 422 are `invalid_request`. The rest of the query was accepted before.
  if (error.code === 'cursor_expired' || error.code === 'invalid_request') return 'unknown'
  return error.status === 500 ? 'failed' : undefined
}

/** Whether the client has stopped a listing because of its pages without a new note. */
export function isEndlessListing(error: unknown): boolean {
  return error instanceof NotesClientError && error.code === 'listing_endless'
}

/** Whether the service has answered 500 to a cursor so often that it may not know the cursor. */
export function hasFailedTooOften(error: unknown, { failures = 0 }: ListingTrack = {}): boolean {
  return cursorSuspicion(error) === 'failed' && failures + 1 >= MAX_FAILURES
}

/** Whether to leave the stored cursor and begin with page one, after the wait that too many idle pages have caused. */
export function mustRestart({ idlePages = 0, waitUntil }: ListingTrack = {}): boolean {
  return idlePages >= MAX_IDLE_PAGES && waitUntil !== undefined
}

/** Whether a restart may be tried now. The third that gets no further waits first. */
export function mayRestart({ restarts = 0, waitUntil }: ListingTrack = {}): boolean {
  return restarts < FREE_RESTARTS || waitUntil !== undefined
}

/** Whether the next page is requested later, because many pages in a row had no new note. */
export function isPaced({ idlePages = 0 }: ListingTrack = {}): boolean {
  return idlePages >= UNPACED_PAGES
}

/** The track of a listing that waits from now on: longer after each restart, an hour at most, and an hour after too many idle pages. */
export function waiting(track: ListingTrack | undefined, now: number): ListingTrack {
  const { restarts = 0, idlePages = 0 } = track ?? {}
  const afterRestarts = FIRST_WAIT_MS * 2 ** Math.min(Math.max(0, restarts - FREE_RESTARTS), 10)
  const waitMs = idlePages >= MAX_IDLE_PAGES ? MAX_WAIT_MS : Math.min(MAX_WAIT_MS, afterRestarts)
  return { ...track, waitUntil: now + waitMs }
}

/** When a listing may continue; `undefined` if it need not wait. A time that is too far ahead was written by a wrong clock. */
export function waitEnd({ waitUntil }: ListingTrack = {}, now: number): number | undefined {
  if (waitUntil === undefined || waitUntil <= now || isAhead(waitUntil - MAX_WAIT_MS, now)) return undefined
  return waitUntil
}

/** The error of a listing that waits. */
export function listingStalled({ restarts = 0, idlePages = 0, waitUntil = 0 }: ListingTrack): MirrorError {
  const reason =
    idlePages >= MAX_IDLE_PAGES
      ? `the service returned ${idlePages} pages in a row without a new note, and a cursor for another page with each`
      : `the service no longer accepts the cursor of the next page, and the listing got no further after ${restarts} restarts`
  const until = new Date(waitUntil).toISOString()
  return new MirrorError(
    'listing_stalled',
    `${reason}. The listing waits until ${until}, and then begins again. The notes listed so far are kept, nothing is removed, and the notes of events are still fetched. If this happens again, report it to the service.`,
  )
}
