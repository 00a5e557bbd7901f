import { isHeld } from '../concurrency/lease.ts'
import type { MirrorSettings } from '../context/mirror-options.ts'
import type { SyncOptions } from '../context/sync.ts'
import type { ListerLease, MirrorProgress } from '../interfaces/progress.ts'
import { isAhead } from '../rules/time.ts'

/** When the lease of another process ends; `undefined` when no other process lists. */
export function otherLeaseEnd(lease: ListerLease | null, holder: string, now: number): number | undefined {
  return lease !== null && lease.holder !== holder && isHeld(lease.until, now) ? lease.until : undefined
}

/** When the next poll is due, in milliseconds since the Unix epoch. */
export function pollDueAt(
  { poll: { polledAt } }: MirrorProgress,
  { clock, pollEveryMs }: Pick<MirrorSettings, 'clock' | 'pollEveryMs'>,
): number {
  const now = clock.now()
  return polledAt === null || isAhead(polledAt, now) ? now : polledAt + pollEveryMs
}

export function isScanDue(
  { scan, lastScan, poll }: MirrorProgress,
  when: SyncOptions['scan'],
  { clock, scanEveryMs }: MirrorSettings,
): boolean {
  if (when !== 'when-due') return when === 'now'
  if (scan !== null) return true
  const now = clock.now()
  const lastAt = lastScan?.beganAt ?? poll.backfilledAt ?? 0
  return now - lastAt >= scanEveryMs || isAhead(lastAt, now)
}
