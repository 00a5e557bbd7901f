import { isHeld } from '../concurrency/lease.ts'
import type { MirrorSettings } from '../context/mirror-options.ts'
import type { SyncOptions } from '../context/sync.ts'
import type { ListerLease, MirrorProgress } from '../interfaces/progress.ts'
import { waitEnd } from '../rules/listing-track.ts'
import { isAhead } from '../rules/time.ts'

/** When the lease of another process ends; `undefined` when no other process lists. */
export function otherLeaseEnd(lease: ListerLease | null, holder: string, now: number): number | undefined {
  return lease !== null && lease.holder !== holder && isHeld(lease.until, now) ? lease.until : undefined
}

/** When the next poll is due, in milliseconds since the Unix epoch: now, if there was none. */
export function pollDueAt({ poll: { polledAt, track } }: MirrorProgress, pollEveryMs: number, now: number): number {
  const dueAt = polledAt === null || isAhead(polledAt, now) ? now : polledAt + pollEveryMs
  return Math.max(dueAt, waitEnd(track, now) ?? dueAt)
}

/** When the scan that is under way or was asked for continues; `null` if there is none. */
export function scanContinuesAt({ scan, isScanAsked }: MirrorProgress, now: number): number | null {
  if (scan === null) return isScanAsked === true ? now : null
  return waitEnd(scan.track, now) ?? now
}

export function isScanDue(
  { scan, isScanAsked = false, lastScan, poll }: MirrorProgress,
  when: SyncOptions['scan'],
  { clock, scanEveryMs }: MirrorSettings,
): boolean {
  if (when !== 'when-due') return when === 'now'
  const now = clock.now()
  if (scan !== null) return waitEnd(scan.track, now) === undefined
  if (isScanAsked) return true
  const lastAt = lastScan?.beganAt ?? poll.backfilledAt ?? 0
  return now - lastAt >= scanEveryMs || isAhead(lastAt, now)
}
