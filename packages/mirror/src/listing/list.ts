import type { SyncContext, SyncOptions } from '../context/sync.ts'
import { callHook } from '../interfaces/mirror-hooks.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedProgress } from '../interfaces/store.ts'
import type { DueQueue } from '../refreshing/due-queue.ts'
import { progressAfterPoll } from '../rules/listing-rule.ts'
import { PAGE_SIZE } from '../service/full-listing.ts'
import { AnotherListerError, type ListedPage, Lister } from './lister.ts'
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
      const { notice, hasChangedNotes, isLast = false } = next.value
      if (hasChangedNotes) queue.recheck()
      callHook(context.hooks.onProgress, notice)
      await context.erasure.runIfDue()
      // After the last page the poll is completed first. Otherwise a slow service would be asked for that page again in every slice.
      const mustStop = !isLast && context.shouldYield()
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

/** How long a poll is repeated because of a note that cannot be identified. Daily scans list such notes as well. */
const REPEAT_FOR_MS = 24 * 60 * 60_000

/**
 * Lists the changes since the last poll, or all notes the first time. Continues an interrupted poll. A poll stops advancing before a page
 * with a note that cannot be identified, so that the next poll lists the page again. Returns the progress after the poll.
 */
async function* poll(
  lister: Lister,
  { client, clock, signal }: SyncContext,
): AsyncGenerator<ListedPage, MirrorProgress> {
  const phase = lister.progress.poll.backfilledAt === null ? 'backfill' : 'poll'
  const { repeatingSince = clock.now() } = lister.progress.poll
  const mayRepeat = phase === 'poll' && clock.now() - repeatingSince < REPEAT_FOR_MS
  let isRepeated = false
  let done = 0
  let { watermark, checkpoint } = lister.progress.poll
  const changes = client.notes.changes({ after: checkpoint }, { limit: PAGE_SIZE, signal })
  for await (const { notes, leftOut, watermark: latest, ...page } of changes) {
    isRepeated ||= mayRepeat && leftOut.some(({ note_id }) => note_id === undefined)
    if (!isRepeated) {
      checkpoint = page.checkpoint
      watermark = latest?.getTime() ?? watermark
    }
    // Most polls find nothing. The checkpoint of an empty page is part of the end of the poll.
    const listed = notes.length + leftOut.length
    const hasChangedNotes = listed > 0 && (await lister.applyPage({ phase, notes, leftOut, checkpoint }))
    done += notes.length
    yield { notice: { phase, done }, hasChangedNotes, isLast: listed < PAGE_SIZE }
  }
  const end = { checkpoint, watermark, heardAt: lister.heardAt, endedAt: clock.now() }
  return progressAfterPoll(lister.progress, isRepeated ? { ...end, repeatingSince } : end)
}
