import { NotesClientError } from '@notewire/client'
import { MirrorError } from '../errors.ts'
import type { DueQueue } from '../fetching/due-queue.ts'
import type { SyncContext } from '../fetching/sync.ts'
import type { MirrorProgress } from '../integrations/progress.ts'
import { progressAlone } from '../ledger/ledger.ts'
import { isPaced } from '../rules/listing-track.ts'
import { failsForEveryNote } from '../service/failures.ts'
import { requestListing } from '../service/full-listing.ts'
import type { LoadedProgress } from '../stores/mirror-store.ts'
import { type Copy, writeProgress } from './copy.ts'
import { fullListing } from './full-listing.ts'
import { poll } from './poll.ts'
import { isFullListingDue, type ListingWork } from './schedule.ts'
import { type ListedPage, type ListingState, trackOf } from './tracking.ts'

/** How a listing ended. */
export interface Listed {
  readonly progress: MirrorProgress
  /** Whether a poll has ended. */
  readonly hasPolled: boolean
  /** The error, if a poll or a full listing failed and other requests do not. */
  readonly error?: unknown
}

/** How the listings of a call ended. */
interface ListingsEnd extends ListingState {
  /** The progress, which is not committed yet if it is not that of the copy. */
  readonly progress: MirrorProgress
  readonly hasPolled: boolean
  /** The error of the poll, if the full listing after it did not fail. */
  readonly pollError?: unknown
}

/**
 * Polls, and lists all notes if a full listing is due, even if the poll failed: a service may refuse polls for ever. After each page that has changed
 * notes, the queue is made to look for due notes.
 *
 * @param copy  the copy, as it was read under the lease
 * @throws LeaseLostError if another worker has taken the integration; an error that other requests would meet, too
 */
export async function list(
  context: SyncContext,
  work: ListingWork,
  copy: LoadedProgress,
  queue: DueQueue,
): Promise<Listed> {
  const pages = listings({ ...copy, committedAt: context.clock.now() }, context, work)
  let next = await pages.next()
  while (next.done !== true) {
    const page = next.value
    if (page.hasChangedNotes) queue.recheck()
    context.hooks.onProgress(page.notice)
    await context.erasure.runIfDue()
    next = await (mustStop(page, context) ? pages.return(interrupted(page)) : pages.next())
  }
  const { copy: listed, progress, hasPolled, pollError, error } = next.value
  if (error !== undefined) {
    if (!(await failsAlone(error, copy, listed, context))) throw error
    return { progress: listed.progress, hasPolled: false, error }
  }
  if (progress !== listed.progress) await context.ledger.commitKnown(progressAlone(progress))
  return { progress, hasPolled, error: pollError }
}

/** After the last page the poll is completed first. Otherwise a slow service would be asked for that page again in every slice. */
function mustStop({ copy, notice, isLast = false }: ListedPage, context: SyncContext): boolean {
  if (isLast) return false
  const isOfPoll = notice.phase === 'poll' || notice.phase === 'backfill'
  const track = trackOf(copy.progress, isOfPoll ? 'poll' : 'full-listing')
  return context.shouldYield() || (context.isPacedBySchedule && isPaced(track))
}

function interrupted({ copy }: ListedPage): ListingsEnd {
  return { copy, progress: copy.progress, hasPolled: false }
}

/** Errors that a service can also cause that is down. */
const OUTAGES: ReadonlySet<string> = new Set(['server_error', 'timeout', 'network_error'])

/** If no poll has succeeded for this time, another request shows whether the service is down. In milliseconds. */
const LASTING_MS = 60 * 60_000

/** Whether a listing failed because of what it requests, so that other requests succeed. */
async function failsAlone(
  error: unknown,
  { progress: before }: LoadedProgress,
  { progress: after }: LoadedProgress,
  { client, clock, signal }: SyncContext,
): Promise<boolean> {
  if (!isOfRequest(error) || signal.aborted) return false
  const { polledAt } = after.poll
  // A poll of this listing has succeeded.
  if (!OUTAGES.has(error.code) || polledAt !== before.poll.polledAt) return true
  if (polledAt === null || clock.now() - polledAt < LASTING_MS) return false
  return await requestListing(client, signal).then(
    () => true,
    () => false,
  )
}

/** Whether an error concerns a request of a listing, or a listing that waits because of its requests. */
function isOfRequest(error: unknown): error is NotesClientError | MirrorError {
  if (error instanceof MirrorError) return error.code === 'listing_stalled'
  return error instanceof NotesClientError && !failsForEveryNote(error)
}

/** Yields after each page. */
async function* listings(
  begin: Copy,
  context: SyncContext,
  work: ListingWork,
): AsyncGenerator<ListedPage, ListingsEnd> {
  const polled = work.isPollDue ? yield* poll(begin, context) : { copy: begin, progress: begin.progress }
  const { error: pollError, progress } = polled
  const hasPolled = work.isPollDue && pollError === undefined
  const mayList =
    pollError === undefined ||
    (progress.poll.backfilledAt !== null && isOfRequest(pollError) && !context.signal.aborted)
  if (!mayList || !isFullListingDue(progress, work, context)) return { ...polled, hasPolled }
  const isWritten = progress === polled.copy.progress
  const copy = isWritten ? polled.copy : await writeProgress(polled.copy, context, () => progress)
  const listed = yield* fullListings(copy, context, work)
  return { ...listed, progress: listed.copy.progress, hasPolled, pollError }
}

/** An interrupted full listing may have missed removals that happened after it began, so if one is wanted now, a new one follows it. */
async function* fullListings(
  begin: Copy,
  context: SyncContext,
  { fullListingWhen }: ListingWork,
): AsyncGenerator<ListedPage, ListingState> {
  const isInterrupted = begin.progress.fullListing !== null
  const first = yield* fullListing(begin, context)
  if (fullListingWhen !== 'now' || !isInterrupted || first.error !== undefined) return first
  return yield* fullListing(first.copy, context)
}
