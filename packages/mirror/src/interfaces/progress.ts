import type { KeyIdentity } from '@notewire/client'

/** How far the mirror of an integration is, in addition to its notes. Times are milliseconds since the Unix epoch, for people. */
export interface MirrorProgress {
  /**
   * Names this copy, so that a position of another one, which was deleted and made anew, is noticed. It is also the salt of the digest in
   * `key`, so that the digests of two copies cannot be matched.
   */
  readonly copyId: string | null
  /** Which key the notes were listed with; `null` before the first listing. */
  readonly key: KeyIdentity | null
  readonly poll: PollProgress
  /** The scan that is under way. */
  readonly scan: ScanProgress | null
  /** The last scan that ended, with all that it found missing confirmed. */
  readonly lastScan: CompletedScan | null
  /** The process that lists now, so that others need not. The version of this record fences a lister that was replaced. */
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
  /** How many changes polls have found since the event at `heardAt` that no event announced. */
  readonly unannounced: number
  /** When the last event came before the latest page of a poll. */
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
   * - `listing`: its last page has not been applied.
   * - `listed`: its last page has been applied, and missing notes have not been counted.
   * - `confirming`: missing notes are read, one by one or by a second listing.
   */
  readonly phase: 'listing' | 'listed' | 'confirming'
  /** Where its next page begins; `null` for the first. */
  readonly cursor: string | null
  /** How many live notes were listed so far. */
  readonly seen: number
  /** How many of those the mirror had shown before the scan began. */
  readonly kept: number
  /** In phase `confirming`: how many notes it did not show. */
  readonly missing: number
  /** Whether those are too many to remove without `acceptRemovals`: the confirmed ones are hidden and kept. */
  readonly holdsBack: boolean
  /** The second listing, which confirms what is missing where the service reads no single notes (open point 8); `null` before it. */
  readonly confirmation: ConfirmationProgress | null
}

/** How far the second listing of a scan is. */
export interface ConfirmationProgress {
  /** The sequence number before page one. */
  readonly startedAt: number
  /** Where its next page begins; `null` for the first. */
  readonly cursor: string | null
  /** Whether its last page was applied: a note that neither listing showed is gone. */
  readonly isComplete: boolean
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

/** Which process lists, and until when at most. */
export interface ListerLease {
  readonly holder: string
  readonly until: number
}

/** What is known of the copy of an integration without reading its notes. */
export interface CopyState {
  /** The latest sequence number. */
  readonly sequence: number
  readonly progress: MirrorProgress
  readonly progressVersion: number
  /** When the last event came, in milliseconds since the Unix epoch; `null` when none ever did. */
  readonly heardAt: number | null
  /** When the first note is due, or earlier if the store has work of its own for `takeDue`; `null` when none is. */
  readonly nextDueAt: number | null
  /** When the first note was hidden whose content is not erased, or earlier; `null` when there is none. */
  readonly hiddenSince: number | null
}

/** Before anything was done. */
export const NO_PROGRESS: MirrorProgress = {
  copyId: null,
  key: null,
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

/**
 * Proof that a listing of all notes reached its last page, without which nothing can be called missing. Only `certify` makes
 * one, of a scan whose last page was applied.
 */
export interface CompletionCertificate {
  readonly [brand]: true
  readonly scanId: string
  /** The sequence number before page one. */
  readonly startedAt: number
}

declare const brand: unique symbol

/** The certificate of a scan; `undefined` until its last page was applied. */
export function certify({ scanId, startedAt, phase }: ScanProgress): CompletionCertificate | undefined {
  return phase !== 'listing' ? ({ scanId, startedAt } as CompletionCertificate) : undefined
}
