import type { ListingTrack } from '../integrations/progress.ts'
import { isAhead } from './time.ts'

/** The number of pages in a row without a new note after which a listing waits. A service that filters after paging returns some hundreds. */
export const MAX_IDLE_PAGES = 10_000

/** The number of such pages after which a listing is slowed down. */
const UNPACED_PAGES = 20

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
  const { startedAfter, startSequence } = before
  return { listed, startedAfter, startSequence }
}

function restarted({ listed = 0, furthest = 0, restarts = 0, ...track }: ListingTrack = {}): ListingTrack {
  return { ...track, furthest: Math.max(furthest, listed), restarts: restarts + 1 }
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
