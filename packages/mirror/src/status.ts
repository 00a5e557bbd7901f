import { positionOf } from './feed/changes.ts'
import type { CompletedScan, ScanProgress } from './listing/progress.ts'
import type { HeldRemovals, LoadedProgress, NoteCounts } from './stores/store.ts'

/** How a mirror is. Dates are of the service's clock where they say so, else of this machine's. */
export interface MirrorStatus {
  /** How many notes there are, by presence, and how many have something to read. */
  readonly notes: NoteCounts
  /** Whether the first listing of everything has ended. */
  readonly isBackfilled: boolean
  /** The service's time up to which all changes were listed; `null` before the first listing has ended, or when it does not tell. */
  readonly watermark: Date | null
  /**
   * Since when the copy is known to be right, deletions and lost access included: when the last complete scan began. `null` before the
   * first, and while a note is still to be read.
   */
  readonly correctAsOf: Date | null
  /** The last listing of everything that reached its end, with all that it missed confirmed: the certificate. */
  readonly lastScan: CompletedScan | null
  /** The scan that is under way. */
  readonly scan: ScanProgress | null
  /** Scans that found more missing than they may remove without being told: `acceptRemovals` erases, being seen again restores. */
  readonly held: readonly HeldRemovals[]
  /**
   * The position of the latest change, as `changes` takes it: for whoever wants to be told only of what is to come. `null` before
   * anything was written.
   */
  readonly position: string | null
  readonly polledAt: Date | null
  /** When the last event came; `null` when none ever did. */
  readonly heardAt: Date | null
  /**
   * Why events have probably stopped: polls keep finding changes that none announced. Look at the endpoint in the console of the
   * service; it may be disabled. `null` while all is well, or none ever came.
   */
  readonly silence: string | null
}

const SILENT_FOR_MS = 60 * 60_000
const CHANGES_UNANNOUNCED = 3

/** What the status is told from. */
export interface StatusFacts extends LoadedProgress {
  readonly notes: NoteCounts
  readonly held: readonly HeldRemovals[]
  readonly position: number
}

/** Tells how a mirror is. */
export function statusOf({ progress, heardAt, notes, held, position }: StatusFacts, now: number): MirrorStatus {
  const { poll, scan, lastScan } = progress
  const isSettled = notes.dirty === 0 && notes.unsettled === 0
  return {
    notes,
    isBackfilled: poll.backfilledAt !== null,
    watermark: dateOf(poll.watermark),
    correctAsOf: lastScan !== null && isSettled ? new Date(lastScan.beganAt) : null,
    lastScan,
    scan,
    held,
    position: progress.copyId === null ? null : positionOf(position, progress.copyId),
    polledAt: dateOf(poll.polledAt),
    heardAt: dateOf(heardAt),
    silence: silenceOf(poll.heardAt === heardAt ? poll.unannounced : 0, heardAt, now),
  }
}

function silenceOf(unannounced: number, heardAt: number | null, now: number): string | null {
  if (heardAt === null || unannounced < CHANGES_UNANNOUNCED || now - heardAt < SILENT_FOR_MS) return null
  return `polls found ${unannounced} changes since the last event, which came at ${new Date(heardAt).toISOString()}: the endpoint is probably disabled`
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
