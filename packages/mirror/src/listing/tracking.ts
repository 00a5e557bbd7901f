import { MirrorError } from '../errors.ts'
import type { SyncContext } from '../fetching/sync.ts'
import type { ProgressNotice } from '../hooks.ts'
import type { ListingTrack, MirrorProgress } from '../integrations/progress.ts'
import { requireFullListing } from '../rules/listing-rule.ts'
import { MAX_IDLE_PAGES, mayRestart, mustRestart, waitEnd, waiting } from '../rules/listing-track.ts'
import { cursorSuspicion, isEndlessListing } from '../service/failures.ts'
import { type Copy, writeProgress } from './copy.ts'

type ListingName = 'poll' | 'full-listing'

/** Where a listing is: the copy after its latest commit, and the error that has ended it. */
export interface ListingState {
  readonly copy: Copy
  readonly error?: unknown
}

/** A page that a listing has applied. */
export interface ListedPage {
  readonly copy: Copy
  /** Whether the page has changed notes, so that notes may be due. */
  readonly hasChangedNotes: boolean
  readonly notice: Omit<ProgressNotice, 'integration'>
  /** Whether this is the last page of a poll. */
  readonly isLast?: boolean
}

type TrackContext = Pick<SyncContext, 'clock' | 'ledger'>

/** The number of answers 500 in a row to a cursor after which the service may no longer know the cursor. */
const MAX_FAILURES = 3

/**
 * Continues a listing at the stored cursor. Begins again with page one if the service may no longer know the cursor, once in a call. Lists nothing
 * while the listing waits.
 *
 * @param follow  lists from the stored cursor, or from page one, until the last page or an error
 */
export async function* followFromCursor<State extends ListingState>(
  begin: State,
  listing: ListingName,
  context: TrackContext,
  follow: (from: State, isRestart: boolean) => AsyncGenerator<ListedPage, State>,
): AsyncGenerator<ListedPage, State> {
  const track = trackOf(begin.copy.progress, listing)
  if (track !== undefined && waitEnd(track, context.clock.now()) !== undefined) {
    return { ...begin, error: listingStalled(track) }
  }
  let state = begin
  let isRestart = mustRestart(track)
  for (;;) {
    if (isRestart && !mayRestart(trackOf(state.copy.progress, listing))) return await stall(state, listing, context)
    state = yield* follow({ ...state, error: undefined }, isRestart)
    if (state.error === undefined) return state
    if (isRestart || !isCursorUnknown(state, listing)) return await recordFailure(state, listing, context)
    isRestart = true
  }
}

export function trackOf({ poll, fullListing }: MirrorProgress, listing: ListingName): ListingTrack | undefined {
  return listing === 'poll' ? poll.track : fullListing?.track
}

/** Whether a page, and too many pages before it, had no new note. */
export function isIdleForTooLong(before: Copy, { progress }: Copy, listing: ListingName): boolean {
  const idlePages = trackOf(progress, listing)?.idlePages ?? 0
  return idlePages > (trackOf(before.progress, listing)?.idlePages ?? 0) && idlePages >= MAX_IDLE_PAGES
}

/** Makes a listing wait. Returns its state, with the error `listing_stalled`. */
export async function stall<State extends ListingState>(
  state: State,
  listing: ListingName,
  context: TrackContext,
): Promise<State> {
  const track = waiting(trackOf(state.copy.progress, listing), context.clock.now())
  const copy = await writeTrack(state.copy, listing, track, context)
  return { ...state, copy, error: listingStalled(track) }
}

/** Records what the failed request of a listing says about the stored cursor. */
async function recordFailure<State extends ListingState>(
  state: State,
  listing: ListingName,
  context: TrackContext,
): Promise<State> {
  const { copy, error } = state
  const track = trackOf(copy.progress, listing)
  if (isEndlessListing(error)) {
    const idle = await writeTrack(copy, listing, { ...track, idlePages: MAX_IDLE_PAGES }, context)
    return await stall({ ...state, copy: idle }, listing, context)
  }
  if (!hasCursor(copy.progress, listing) || cursorSuspicion(error) !== 'failed') return state
  const failed = { ...track, failures: (track?.failures ?? 0) + 1 }
  return { ...state, copy: await writeTrack(copy, listing, failed, context) }
}

/** Whether the service may no longer know the stored cursor. A poll whose cursor is refused was begun again by the client. */
function isCursorUnknown({ copy: { progress }, error }: ListingState, listing: ListingName): boolean {
  if (!hasCursor(progress, listing)) return false
  const suspicion = cursorSuspicion(error)
  if (suspicion === 'unknown') return listing === 'full-listing'
  return suspicion === 'failed' && (trackOf(progress, listing)?.failures ?? 0) + 1 >= MAX_FAILURES
}

/** Whether the next request of a listing has a stored cursor. An earlier version recorded no track. */
function hasCursor({ poll, fullListing }: MirrorProgress, listing: ListingName): boolean {
  return listing === 'poll' ? poll.track !== undefined || poll.isUnderWay : (fullListing?.cursor ?? null) !== null
}

async function writeTrack(copy: Copy, listing: ListingName, track: ListingTrack, context: TrackContext): Promise<Copy> {
  const { progress } = copy
  return await writeProgress(copy, context, () =>
    listing === 'poll'
      ? { poll: { ...progress.poll, track } }
      : { fullListing: { ...requireFullListing(progress), track } },
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
