import type { KeyIdentity } from '@notewire/client'
import type { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { SyncOptions } from '../context/sync-options.ts'
import { callHook, type ProgressNotice } from '../interfaces/mirror-hooks.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedProgress } from '../interfaces/store.ts'
import { PAGE_SIZE } from '../service/full-listing.ts'
import { AnotherListerError, Lister } from './lister.ts'
import { scan } from './scan.ts'
import { isScanDue } from './schedule.ts'

export interface Listing {
  readonly key: KeyIdentity
  /** The id of this process, for the lease of the lister; `undefined` if the whole integration is leased to this process. */
  readonly holder: string | undefined
  readonly loaded: LoadedProgress
  readonly scanWhen: SyncOptions['scan']
  /** Whether to poll. If not, only a scan under way continues. */
  readonly isPollDue: boolean
  /** Wakes its waiters after each page that may have made notes due. */
  readonly pages: Wakeup
}

/**
 * Polls, and scans if a scan is due.
 *
 * @returns the progress; `undefined` if another process lists, or has replaced this one
 */
export async function list(context: SyncContext, listing: Listing): Promise<MirrorProgress | undefined> {
  const { key, holder, loaded, pages } = listing
  const lister = await Lister.begin(context, key, holder, loaded)
  if (lister === undefined) return undefined
  try {
    for await (const notice of listings(lister, context, listing)) {
      if (lister.hasChangedNotes) pages.wake()
      callHook(context.hooks.onProgress, notice)
      await context.erasure.runIfDue()
      // After the last page the poll is completed first. Otherwise a slow service would be asked for that page again in every slice.
      if (lister.hasMore && context.shouldYield()) break
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
  // An interrupted scan may have missed removals that happened after it began, so a new scan follows it.
  if (scanWhen === 'now' && isResumed) yield* scan(lister, context)
}

/** Lists the changes since the last poll, or all notes the first time. Continues an interrupted poll. */
async function* poll(lister: Lister, { client, signal }: SyncContext): AsyncGenerator<ProgressNotice> {
  const phase = lister.progress.poll.backfilledAt === null ? 'backfill' : 'poll'
  let done = 0
  let { watermark, checkpoint } = lister.progress.poll
  const changes = client.notes.changes({ after: checkpoint }, { limit: PAGE_SIZE, signal })
  for await (const { notes, leftOut, watermark: latest, ...page } of changes) {
    checkpoint = page.checkpoint
    // Most polls find nothing. The checkpoint of an empty page is part of the end of the poll.
    const listed = notes.length + leftOut.length
    if (listed > 0) await lister.applyPage({ phase, notes, leftOut, checkpoint })
    done += notes.length
    lister.hasMore = listed >= PAGE_SIZE
    watermark = latest?.getTime() ?? watermark
    yield { phase, done }
  }
  lister.endPoll(checkpoint, watermark)
  lister.hasMore = true
}
