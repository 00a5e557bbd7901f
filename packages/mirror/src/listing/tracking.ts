import { MirrorError } from '../errors.ts'
import type { SyncContext } from '../fetching/sync.ts'
import type { ListingTrack, MirrorProgress } from '../integrations/progress.ts'
import { requireFullListing } from '../rules/listing-rule.ts'
import { MAX_IDLE_PAGES, mayRestart, waitEnd, waiting } from '../rules/listing-track.ts'
import { cursorSuspicion, isEndlessListing } from '../service/failures.ts'
import type { Lister, UnappliedPage } from './lister.ts'

type ListingName = 'poll' | 'full-listing'

/** The number of answers 500 in a row to a cursor after which the service may no longer know the cursor. */
const MAX_FAILURES = 3

function trackOf({ poll, fullListing }: MirrorProgress, listing: ListingName): ListingTrack | undefined {
  return listing === 'poll' ? poll.track : fullListing?.track
}

/** @throws MirrorError `listing_stalled` while the listing waits */
export function requireNoWait(lister: Lister, listing: ListingName, { clock }: Pick<SyncContext, 'clock'>): void {
  const track = trackOf(lister.progress, listing)
  if (track !== undefined && waitEnd(track, clock.now()) !== undefined) throw listingStalled(track)
}

/**
 * Makes a listing wait if it may not be restarted now.
 *
 * @throws MirrorError `listing_stalled` if it waits from now on
 */
export async function requireRestart(
  lister: Lister,
  listing: ListingName,
  context: Pick<SyncContext, 'clock'>,
): Promise<void> {
  if (!mayRestart(trackOf(lister.progress, listing))) throw await stall(lister, listing, context)
}

/**
 * Applies a page. Makes the listing wait if this page, and too many pages before it, had no new note.
 *
 * @returns whether notes have changed
 * @throws MirrorError `listing_stalled` if the listing waits from now on
 */
export async function applyTracked(
  lister: Lister,
  page: UnappliedPage,
  context: Pick<SyncContext, 'clock'>,
): Promise<boolean> {
  const listing = page.phase === 'full-listing' ? 'full-listing' : 'poll'
  const countIdle = () => trackOf(lister.progress, listing)?.idlePages ?? 0
  const before = countIdle()
  const hasChangedNotes = await lister.applyPage(page)
  const idlePages = countIdle()
  if (idlePages > before && idlePages >= MAX_IDLE_PAGES) throw await stall(lister, listing, context)
  return hasChangedNotes
}

/**
 * Records what a failed request says about the stored cursor.
 *
 * @returns the error to throw
 */
export async function recordFailure(
  lister: Lister,
  listing: ListingName,
  error: unknown,
  context: Pick<SyncContext, 'clock'>,
): Promise<unknown> {
  const track = trackOf(lister.progress, listing)
  if (isEndlessListing(error)) {
    await writeTrack(lister, listing, { ...track, idlePages: MAX_IDLE_PAGES })
    return await stall(lister, listing, context)
  }
  if (!hasCursor(lister.progress, listing) || cursorSuspicion(error) !== 'failed') return error
  await writeTrack(lister, listing, { ...track, failures: (track?.failures ?? 0) + 1 })
  return error
}

/** Whether the service has answered 500 to a cursor so often that it may not know the cursor. */
export function hasFailedTooOften(error: unknown, { failures = 0 }: ListingTrack = {}): boolean {
  return cursorSuspicion(error) === 'failed' && failures + 1 >= MAX_FAILURES
}

/** Whether the next request of a listing has a stored cursor. An earlier version recorded no track. */
export function hasCursor({ poll, fullListing }: MirrorProgress, listing: ListingName): boolean {
  return listing === 'poll' ? poll.track !== undefined || poll.isUnderWay : (fullListing?.cursor ?? null) !== null
}

async function stall(lister: Lister, listing: ListingName, { clock }: Pick<SyncContext, 'clock'>): Promise<Error> {
  const track = waiting(trackOf(lister.progress, listing), clock.now())
  await writeTrack(lister, listing, track)
  return listingStalled(track)
}

async function writeTrack(lister: Lister, listing: ListingName, track: ListingTrack): Promise<void> {
  await lister.advance(() =>
    listing === 'poll'
      ? { poll: { ...lister.progress.poll, track } }
      : { fullListing: { ...requireFullListing(lister.progress), track } },
  )
}

/** The error of a listing that waits. */
function listingStalled({ restarts = 0, idlePages = 0, waitUntil = 0 }: ListingTrack): MirrorError {
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
