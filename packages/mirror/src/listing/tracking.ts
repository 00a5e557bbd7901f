import type { SyncContext } from '../context/sync.ts'
import type { ListingTrack, MirrorProgress } from '../interfaces/progress.ts'
import { type AppliedPage, requireScan } from '../rules/listing-rule.ts'
import {
  cursorSuspicion,
  isEndlessListing,
  listingStalled,
  MAX_IDLE_PAGES,
  mayRestart,
  waitEnd,
  waiting,
} from '../rules/listing-track.ts'
import type { Lister } from './lister.ts'

type ListingName = 'poll' | 'scan'

function trackOf({ poll, scan }: MirrorProgress, listing: ListingName): ListingTrack | undefined {
  return listing === 'poll' ? poll.track : scan?.track
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
  page: AppliedPage,
  context: Pick<SyncContext, 'clock'>,
): Promise<boolean> {
  const listing = page.phase === 'scan' ? 'scan' : 'poll'
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

/** Whether the next request of a listing has a stored cursor. An earlier version recorded no track. */
export function hasCursor({ poll, scan }: MirrorProgress, listing: ListingName): boolean {
  return listing === 'poll' ? poll.track !== undefined || poll.isUnderWay : (scan?.cursor ?? null) !== null
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
      : { scan: { ...requireScan(lister.progress), track } },
  )
}
