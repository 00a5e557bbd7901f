import type { KeyIdentity } from '@notewire/client'
import type { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { SyncOptions } from '../context/sync-options.ts'
import { callHook, type ProgressNotice } from '../interfaces/mirror-hooks.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedProgress } from '../interfaces/store.ts'
import { NOTES_ON_A_PAGE } from '../service/full-listing.ts'
import { AnotherListerError, Lister } from './lister.ts'
import { scan } from './scan.ts'
import { isScanDue } from './schedule.ts'

/** How to list. */
export interface Listing {
  readonly key: KeyIdentity
  /** Names this process among those that list. */
  readonly holder: string
  /** The progress, if the integration is leased to this process. */
  readonly leased: LoadedProgress | undefined
  readonly scanWhen: SyncOptions['scan']
  /** Whether to poll; if not, a scan under way goes on. */
  readonly isPollDue: boolean
  /** Wakes after each page that may have made notes due. */
  readonly pages: Wakeup
}

/**
 * Polls, and scans if a scan is due.
 *
 * @returns the progress; `undefined` if another process lists, or has taken over
 */
export async function list(context: SyncContext, listing: Listing): Promise<MirrorProgress | undefined> {
  const { key, holder, leased, pages } = listing
  const lister = leased ? Lister.ofLeased(context, leased) : await Lister.begin(context, key, holder)
  if (lister === undefined) return undefined
  try {
    for await (const notice of listings(lister, context, listing)) {
      if (lister.hasNews) pages.wake()
      callHook(context.hooks.onProgress, notice)
      await context.erasure.runIfDue()
      // The last page of a slow service would otherwise be asked for again and again: only the end of a poll is its success.
      if (lister.hasMore && context.isEnough()) break
    }
    await lister.end()
    return lister.progress
  } catch (error) {
    if (error instanceof AnotherListerError) return undefined
    await lister.end().catch(() => undefined)
    throw error
  }
}

/** Yields after each page. */
async function* listings(
  lister: Lister,
  context: SyncContext,
  { scanWhen, isPollDue }: Pick<Listing, 'scanWhen' | 'isPollDue'>,
): AsyncGenerator<ProgressNotice> {
  if (isPollDue) yield* poll(lister, context)
  const isResumed = lister.progress.scan !== null
  if (isScanDue(lister.progress, scanWhen, context)) yield* scan(lister, context)
  // A scan that was interrupted need not have found notes that left after it began.
  if (scanWhen === 'now' && isResumed) yield* scan(lister, context)
}

/** Lists what changed since the last poll, or everything the first time. It continues where it was interrupted. */
async function* poll(lister: Lister, { client, signal }: SyncContext): AsyncGenerator<ProgressNotice> {
  const phase = lister.progress.poll.backfilledAt === null ? 'backfill' : 'poll'
  let done = 0
  let { watermark, checkpoint } = lister.progress.poll
  const changes = client.notes.changes({ after: checkpoint }, { limit: NOTES_ON_A_PAGE, signal })
  for await (const { notes, watermark: latest, ...page } of changes) {
    checkpoint = page.checkpoint
    // Most polls find nothing: their only page is written with the end of the poll.
    if (notes.length > 0) await lister.applyPage({ phase, notes, checkpoint })
    done += notes.length
    lister.hasMore = notes.length >= NOTES_ON_A_PAGE
    watermark = latest?.getTime() ?? watermark
    yield { phase, done }
  }
  await lister.endPoll(checkpoint, watermark)
  lister.hasMore = true
}
