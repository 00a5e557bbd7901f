import type { KeyIdentity } from '@notewire/client'
import type { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { SyncOptions } from '../context/sync-options.ts'
import { callHook, type ProgressNotice } from '../interfaces/mirror-hooks.ts'
import { AnotherListerError, Lister } from './lister.ts'
import { poll } from './poll.ts'
import { scan } from './scan.ts'
import { isScanDue } from './schedule.ts'

/** How to list. */
export interface Listing {
  readonly key: KeyIdentity
  /** Names this process among those that list. */
  readonly holder: string
  readonly scanWhen: SyncOptions['scan']
  /** Whether to poll; if not, a scan under way goes on. */
  readonly isPollDue: boolean
  /** Wakes after each page, which may have made notes due. */
  readonly pages: Wakeup
}

/**
 * Polls, and scans if a scan is due.
 *
 * @returns whether this process listed: `false` if another one does, or has taken over
 */
export async function list(context: SyncContext, { pages, ...listing }: Listing): Promise<boolean> {
  const lister = await Lister.begin(context, listing.key, listing.holder)
  if (lister === undefined) return false
  try {
    for await (const notice of listings(lister, context, listing)) {
      pages.wake()
      callHook(context.hooks.onProgress, notice)
      await context.erasure.runIfDue()
      if (context.isEnough()) break
    }
    await lister.end()
    return true
  } catch (error) {
    if (error instanceof AnotherListerError) return false
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
