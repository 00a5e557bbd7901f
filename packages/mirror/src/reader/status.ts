import type { CompletedScan, ScanProgress } from '../interfaces/progress.ts'
import type { HeldRemovals, MirrorStore, NoteCounts } from '../interfaces/store.ts'
import { positionOf } from './changes.ts'

/** How far a mirror is. Dates are of this machine's clock unless they are said to be the service's. */
export interface MirrorStatus {
  /** How many notes there are, by presence, and how many have something to read. */
  readonly notes: Omit<NoteCounts, 'contradicted'>
  /**
   * How many notes the service shows at a lower revision than before, or again although an event announced their deletion (open point 35):
   * its replicas lag, or it was restored from a backup. `correctAsOf` is `null` meanwhile. The service's record is accepted after about
   * eight and a half minutes, that of a note whose deletion was announced by a full scan a day later, or by `mirror.acceptReads`.
   */
  readonly contradictions: number
  /** Whether the first listing of everything has ended. */
  readonly isBackfilled: boolean
  /** The service's time up to which all changes were listed; `null` before the first listing has ended, or if the service sends no time. */
  readonly watermark: Date | null
  /**
   * The time as of which the copy is known to be correct, deletions and lost access included: when the last complete scan began. `null`
   * before the first scan, and while a note is still to be read or reads contradict what is known.
   */
  readonly correctAsOf: Date | null
  /** The last scan that reached its end, with all missing notes confirmed. */
  readonly lastScan: CompletedScan | null
  /** The scan that is under way. */
  readonly scan: ScanProgress | null
  /** Scans that hold removals back: `acceptRemovals` erases the notes; a note that is found again is restored. */
  readonly held: readonly HeldRemovals[]
  /**
   * The position of the latest change, as `changes` takes it, to get only later changes. `null` before anything was written.
   */
  readonly position: string | null
  readonly polledAt: Date | null
  /** When the last event came; `null` when none ever did. */
  readonly heardAt: Date | null
  /**
   * Why events have probably stopped: polls find changes that no event announced. Look at the endpoint in the console of the
   * service; it may be disabled. `null` if events arrive, or if none ever arrived.
   */
  readonly silence: string | null
}

const SILENT_FOR_MS = 60 * 60_000
const CHANGES_UNANNOUNCED = 3

/** Reads how far a mirror is. */
export async function statusOf(store: MirrorStore, integration: string, now: number): Promise<MirrorStatus> {
  const { progress, heardAt } = await store.readProgress(integration)
  const [{ contradicted: contradictions, ...notes }, held, position] = await Promise.all([
    store.count(integration),
    store.listHolds(integration),
    store.latestPosition(integration),
  ])
  const { poll, scan, lastScan } = progress
  const isSettled = notes.dirty === 0 && notes.unsettled === 0 && contradictions === 0
  return {
    notes,
    contradictions,
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
  return `polls found ${unannounced} changes for which no event arrived since the last event at ${new Date(heardAt).toISOString()}: the endpoint is probably disabled`
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
