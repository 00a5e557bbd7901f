import type { CompletionCertificate } from './certificate.ts'

/** How far the mirror of a scope is, beside its notes. Times are milliseconds since the Unix epoch, for people. */
export interface MirrorProgress {
  /** Names this copy, so that a position of another one, which was deleted and made anew, is noticed. */
  readonly copyId: string | null
  /** The key that the notes were listed with, or `null` before the first listing and for a key without an id. */
  readonly keyId: string | null
  readonly poll: PollProgress
  /** The scan that is under way. */
  readonly scan: ScanProgress | null
  /** The last scan that ended, with all that it found missing confirmed. */
  readonly lastScan: CompletedScan | null
  /** Who lists now, so that others need not: it fences nobody, the version of this record does. */
  readonly lister: ListerLease | null
}

/** How far backfill and polls are. */
export interface PollProgress {
  /** Where the next page begins (`client.notes.changes`). */
  readonly checkpoint: string | null
  /** Whether a listing was begun and not ended. */
  readonly isUnderWay: boolean
  /** The service's time up to which all changes are here. */
  readonly watermark: number | null
  /** When the backfill ended. */
  readonly backfilledAt: number | null
  /** When a poll, or the backfill, ended last. */
  readonly polledAt: number | null
  /** How many changes polls have found since the event that came at `heardAt`, without any event between. */
  readonly unannounced: number
  /** When the last event had come, as polls saw it. */
  readonly heardAt: number | null
}

/** A scan that was begun and not ended. */
export interface ScanProgress {
  readonly scanId: string
  /** The sequence number before page one. */
  readonly startedAt: number
  /** When it began. */
  readonly beganAt: number
  /**
   * - `listing`: its last page was not reached.
   * - `listed`: it was, and what is missing was not counted.
   * - `confirming`: what is missing is read, note by note.
   */
  readonly phase: 'listing' | 'listed' | 'confirming'
  /** Where its next page begins; `null` for the first. */
  readonly cursor: string | null
  /** How many live notes were listed so far. */
  readonly seen: number
  /** In phase `confirming`: how many notes it did not show. */
  readonly missing: number
  /** Whether those are too many to remove without being told: confirmed ones are hidden and kept. */
  readonly holdsBack: boolean
}

/** A scan that ended. */
export interface CompletedScan {
  readonly scanId: string
  readonly beganAt: number
  readonly endedAt: number
  readonly seen: number
  readonly missing: number
  readonly holdsBack: boolean
}

/** Who lists, and until when at most. */
export interface ListerLease {
  readonly holder: string
  readonly until: number
}

/** Before anything was done. */
export const NO_PROGRESS: MirrorProgress = {
  copyId: null,
  keyId: null,
  poll: {
    checkpoint: null,
    isUnderWay: false,
    watermark: null,
    backfilledAt: null,
    polledAt: null,
    unannounced: 0,
    heardAt: null,
  },
  scan: null,
  lastScan: null,
  lister: null,
}

/** The certificate of a scan, or `undefined` while its last page was not applied. */
export function certify({ scanId, startedAt, phase }: ScanProgress): CompletionCertificate | undefined {
  return phase !== 'listing' ? ({ scanId, startedAt } as CompletionCertificate) : undefined
}
