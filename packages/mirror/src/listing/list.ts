import { NotesClientError } from '@notewire/client'
import { LeaseLostError, MirrorError } from '../errors.ts'
import type { DueQueue } from '../fetching/due-queue.ts'
import type { SyncContext } from '../fetching/sync.ts'
import type { MirrorProgress } from '../integrations/progress.ts'
import { isPaced } from '../rules/listing-track.ts'
import { failsForEveryNote } from '../service/failures.ts'
import { requestListing } from '../service/full-listing.ts'
import type { LoadedProgress } from '../stores/mirror-store.ts'
import { fullListing } from './full-listing.ts'
import { type ListedPage, Lister } from './lister.ts'
import { poll } from './poll.ts'
import { isFullListingDue, type ListingWork } from './schedule.ts'

/** How a listing ended. */
export interface Listed {
  readonly progress: MirrorProgress
  /** Whether a poll has ended. */
  readonly hasPolled: boolean
  /** The error, if a poll or a full listing failed and other requests do not. */
  readonly error?: unknown
}

/**
 * Polls, and lists all notes if a full listing is due, even if the poll failed: a service may refuse polls for ever. After each page that has changed
 * notes, the queue is made to look for due notes.
 *
 * @throws LeaseLostError if another worker has taken the integration; an error that other requests would meet, too
 */
export async function list(
  context: SyncContext,
  work: ListingWork,
  copy: LoadedProgress,
  queue: DueQueue,
): Promise<Listed> {
  const lister = new Lister(context, copy)
  try {
    const pages = listings(lister, context, work)
    let next = await pages.next()
    while (next.done !== true) {
      const { notice, hasChangedNotes, isLast = false, track } = next.value
      if (hasChangedNotes) queue.recheck()
      context.hooks.onProgress(notice)
      await context.erasure.runIfDue()
      // After the last page the poll is completed first. Otherwise a slow service would be asked for that page again in every slice.
      const mustStop = !isLast && (context.shouldYield() || (context.isPacedBySchedule && isPaced(track)))
      next = await (mustStop ? pages.return({ progress: lister.progress, hasPolled: false }) : pages.next())
    }
    await lister.end(next.value.progress)
    return next.value
  } catch (error) {
    return await afterFailure(error, copy, lister, context)
  }
}

/** @throws the error if other requests would meet it, too */
async function afterFailure(
  error: unknown,
  copy: LoadedProgress,
  lister: Lister,
  context: SyncContext,
): Promise<Listed> {
  if (error instanceof LeaseLostError) throw error
  await lister.end(lister.progress).catch(() => undefined)
  if (await failsAlone(error, copy, lister, context)) return { progress: lister.progress, hasPolled: false, error }
  throw error
}

/** Errors that a service can also cause that is down. */
const OUTAGES: ReadonlySet<string> = new Set(['server_error', 'timeout', 'network_error'])

/** If no poll has succeeded for this time, another request shows whether the service is down. In milliseconds. */
const LASTING_MS = 60 * 60_000

/** Whether a listing failed because of what it requests, so that other requests succeed. */
async function failsAlone(
  error: unknown,
  { progress: before }: LoadedProgress,
  { progress: after }: Lister,
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

/** Yields after each page, and returns how the listings end. */
async function* listings(lister: Lister, context: SyncContext, work: ListingWork): AsyncGenerator<ListedPage, Listed> {
  let polled = lister.progress
  let pollError: unknown
  try {
    if (work.isPollDue) polled = yield* poll(lister, context)
  } catch (error) {
    const { poll: failed } = lister.progress
    polled = lister.progress
    const isFullListingNext = failed.backfilledAt !== null && isFullListingDue(polled, work, context)
    if (!isFullListingNext || !isOfRequest(error) || context.signal.aborted) throw error
    pollError = error
  }
  const hasPolled = work.isPollDue && pollError === undefined
  if (!isFullListingDue(polled, work, context)) return { progress: polled, hasPolled }
  if (polled !== lister.progress) await lister.advance(() => polled)
  yield* fullListing(lister, context)
  // An interrupted full listing may have missed removals that happened after it began, so a new full listing follows it.
  if (work.fullListingWhen === 'now' && polled.fullListing !== null) yield* fullListing(lister, context)
  return { progress: lister.progress, hasPolled, error: pollError }
}
