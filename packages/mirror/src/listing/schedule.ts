import type { MirrorSettings } from '../context/mirror-options.ts'
import type { SyncOptions } from '../context/sync-options.ts'
import type { ListerLease, MirrorProgress } from '../interfaces/progress.ts'
import { isAhead } from '../rules/time.ts'

/** The lease of the lister, in milliseconds. After it, another process may list. */
const LEASE_MS = 30_000

export function leaseOf(holder: string, now: number): ListerLease {
  return { holder, until: now + LEASE_MS }
}

/** When the lease of another process ends; `undefined` when no other process lists. */
export function otherLeaseEnd(lease: ListerLease | null, holder: string, now: number): number | undefined {
  if (lease === null || lease.holder === holder || lease.until <= now) return undefined
  return isAhead(lease.until - LEASE_MS, now) ? undefined : lease.until
}

/** When the next poll is due, in milliseconds since the Unix epoch. */
export function pollDueAt(
  { poll: { polledAt } }: MirrorProgress,
  { clock, pollEveryMs }: Pick<MirrorSettings, 'clock' | 'pollEveryMs'>,
): number {
  const now = clock.now()
  return polledAt === null || isAhead(polledAt, now) ? now : polledAt + pollEveryMs
}

/** Whether to scan now. */
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
