import type { SyncContext, SyncOptions } from '../context/sync.ts'
import { callHook } from '../interfaces/mirror-hooks.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedProgress } from '../interfaces/store.ts'
import type { DueQueue } from '../refreshing/due-queue.ts'
import { isPaced } from '../rules/listing-track.ts'
import { AnotherListerError, type ListedPage, Lister } from './lister.ts'
import { poll } from './poll.ts'
import { scan } from './scan.ts'
import { isScanDue } from './schedule.ts'

export interface ListingWork {
  readonly scanWhen: SyncOptions['scan']
  /** Whether to poll. If not, only a scan under way continues. */
  readonly isPollDue: boolean
}

/**
 * Polls, and scans if a scan is due. After each page that has changed notes, the queue is made to look for due notes.
 *
 * @returns the progress; `undefined` if another process lists, or has replaced this one
 */
export async function list(
  context: SyncContext,
  work: ListingWork,
  holder: string | undefined,
  copy: LoadedProgress,
  queue: DueQueue,
): Promise<MirrorProgress | undefined> {
  const lister = await Lister.begin(context, holder, copy)
  if (lister === undefined) return undefined
  try {
    const pages = listings(lister, context, work)
    let next = await pages.next()
    while (next.done !== true) {
      const { notice, hasChangedNotes, isLast = false, track } = next.value
      if (hasChangedNotes) queue.recheck()
      callHook(context.hooks.onProgress, notice)
      await context.erasure.runIfDue()
      // After the last page the poll is completed first. Otherwise a slow service would be asked for that page again in every slice.
      // In a slice, the schedule slows the listing down. Otherwise the client does.
      const mustStop = !isLast && (context.shouldYield() || (holder === undefined && isPaced(track)))
      next = await (mustStop ? pages.return(lister.progress) : pages.next())
    }
    await lister.end(next.value)
    return next.value
  } catch (error) {
    if (error instanceof AnotherListerError) return undefined
    await lister.end(lister.progress).catch(() => undefined)
    throw error
  }
}

/** Yields after each page, and returns the progress with which the listings end. */
async function* listings(
  lister: Lister,
  context: SyncContext,
  { scanWhen, isPollDue }: ListingWork,
): AsyncGenerator<ListedPage, MirrorProgress> {
  const polled = isPollDue ? yield* poll(lister, context) : lister.progress
  if (!isScanDue(polled, scanWhen, context)) return polled
  if (isPollDue) await lister.advance(() => polled)
  yield* scan(lister, context)
  // An interrupted scan may have missed removals that happened after it began, so a new scan follows it.
  if (scanWhen === 'now' && polled.scan !== null) yield* scan(lister, context)
  return lister.progress
}
