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

/** When the full listing that is under way or was asked for continues; `null` if there is none. */
export function fullListingContinuesAt(
  { fullListing }: MirrorProgress,
  { fullListingAskedAt }: Pick<NextWork, 'fullListingAskedAt'>,
  now: number,
): number | null {
  if (fullListing === null) return fullListingAskedAt === undefined ? null : now
  return waitEnd(fullListing.track, now) ?? now
}

/** Whether the next listing is not due yet, because the last one failed. A time that is too far ahead was written by a wrong clock. */
export function isListingPostponed({ listAt }: Pick<NextWork, 'listAt'>, now: number): boolean {
  return listAt !== undefined && listAt > now && !isAhead(listAt - MAX_BACKOFF_MS, now)
}

/** Which listings to do. */
export interface ListingWork {
  /** Whether to poll. If not, only a full listing under way continues, or one that was asked for begins. */
  readonly isPollDue: boolean
  readonly fullListingWhen: SyncOptions['fullListing']
  /** Whether a full listing was asked for that has not begun. */
  readonly isFullListingAsked: boolean
}

export function isFullListingDue(
  { fullListing, lastFullListing, poll }: MirrorProgress,
  { fullListingWhen, isFullListingAsked }: Omit<ListingWork, 'isPollDue'>,
  { clock, fullListingEveryMs }: Pick<EngineSettings, 'clock' | 'fullListingEveryMs'>,
): boolean {
  if (fullListingWhen !== 'when-due') return fullListingWhen === 'now'
  const now = clock.now()
  if (fullListing !== null) return waitEnd(fullListing.track, now) === undefined
  if (isFullListingAsked) return true
  const lastAt = lastFullListing?.beganAt ?? poll.backfilledAt ?? 0
  return now - lastAt >= fullListingEveryMs || isAhead(lastAt, now)
}
