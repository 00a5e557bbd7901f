import type { EngineSettings, SyncOptions } from '../fetching/sync.ts'
import type { NextWork } from '../integrations/integration-store.ts'
import type { MirrorProgress } from '../integrations/progress.ts'
import { MAX_BACKOFF_MS } from '../rules/backoff.ts'
import { waitEnd } from '../rules/listing-track.ts'
import { isAhead } from '../rules/time.ts'

/** When the next poll is due, in milliseconds since the Unix epoch: now, if there was none. */
export function pollDueAt({ poll: { polledAt, track } }: MirrorProgress, pollEveryMs: number, now: number): number {
  const dueAt = polledAt === null || isAhead(polledAt, now) ? now : polledAt + pollEveryMs
  return Math.max(dueAt, waitEnd(track, now) ?? dueAt)
}

/** When the scan that is under way or was asked for continues; `null` if there is none. */
export function scanContinuesAt(
  { scan }: MirrorProgress,
  { scanAskedAt }: Pick<NextWork, 'scanAskedAt'>,
  now: number,
): number | null {
  if (scan === null) return scanAskedAt === undefined ? null : now
  return waitEnd(scan.track, now) ?? now
}

/** Whether the next listing is not due yet, because the last one failed. A time that is too far ahead was written by a wrong clock. */
export function isListingPostponed({ listAt }: Pick<NextWork, 'listAt'>, now: number): boolean {
  return listAt !== undefined && listAt > now && !isAhead(listAt - MAX_BACKOFF_MS, now)
}

/** Which listings to do. */
export interface ListingWork {
  /** Whether to poll. If not, only a scan under way continues, or one that was asked for begins. */
  readonly isPollDue: boolean
  readonly scanWhen: SyncOptions['scan']
  /** Whether a scan was asked for that has not begun. */
  readonly isScanAsked: boolean
}

export function isScanDue(
  { scan, lastScan, poll }: MirrorProgress,
  { scanWhen, isScanAsked }: Omit<ListingWork, 'isPollDue'>,
  { clock, scanEveryMs }: Pick<EngineSettings, 'clock' | 'scanEveryMs'>,
): boolean {
  if (scanWhen !== 'when-due') return scanWhen === 'now'
  const now = clock.now()
  if (scan !== null) return waitEnd(scan.track, now) === undefined
  if (isScanAsked) return true
  const lastAt = lastScan?.beganAt ?? poll.backfilledAt ?? 0
  return now - lastAt >= scanEveryMs || isAhead(lastAt, now)
}
