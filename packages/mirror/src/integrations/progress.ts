import type { KeyIdentity } from '@notewire/client'

/** The progress of an integration's listings. Times are milliseconds since the Unix epoch. */
export interface MirrorProgress {
  /** Copies of version 0.1.0 only: the id in their positions, and the salt of their digests. Later copies use their generation. */
  readonly copyId?: string | undefined
  /** The key that the notes were listed with; `null` before the first listing. */
  readonly key: KeyIdentity | null
  /** The base URL that the notes were last listed from. Absent before the first listing, and in a copy of an earlier version. */
  readonly baseUrl?: string | undefined
  readonly poll: PollProgress
  /** The full listing that is under way. */
  readonly fullListing: FullListingProgress | null
  /** The last full listing that ended. The notes that it missed were confirmed, or are due to be read. */
  readonly lastFullListing: CompletedFullListing | null
}

/** The progress of the backfill and of polls. */
export interface PollProgress {
  /** The checkpoint of the next page (`client.notes.changes`). */
  readonly checkpoint: string | null
  readonly isUnderWay: boolean
  /** When the first of the consecutive polls began that ended before a note that cannot be identified. */
  readonly repeatingSince?: number | undefined
  /** Set after the first page of a poll of several pages, until its last. */
  readonly track?: ListingTrack | undefined
  /** The sequence number of the latest page with a note that could be neither identified nor stored; absent if there was none. */
  readonly unstoredSequence?: number | undefined
  /** The service's time up to which all changes were listed. */
  readonly watermark: number | null
  /** When the backfill ended. */
  readonly backfilledAt: number | null
  /** When the last poll, or the backfill, ended. */
  readonly polledAt: number | null
  /** How many unannounced changes polls have found since the event at `heardAt`. */
  readonly unannounced: number
  /** When the last event before the latest page of a poll arrived. */
  readonly heardAt: number | null
}

/** A full listing that is under way. */
export interface FullListingProgress {
  readonly fullListingId: string
  /** The sequence number before page one. */
  readonly startSequence: number
  /** The time before page one. */
  readonly beganAt: number
  /**
   * - `listing`: its last page has not been applied.
   * - `listed`: its last page has been applied, and missing notes have not been counted.
   * - `confirming`: missing notes are made due to be read.
   */
  readonly phase: 'listing' | 'listed' | 'confirming'
  /** Where its next page begins; `null` for the first. */
  readonly cursor: string | null
  /** The number of live notes listed so far. */
  readonly seen: number
  /** How many of the listed notes the mirror showed before the full listing began. */
  readonly kept: number
  /** In phase `confirming`: the number of missing notes. */
  readonly missing: number
  /** Whether too many notes are missing to remove them without `acceptRemovals`: confirmed missing notes are hidden and kept. */
  readonly holdsBack: boolean
  /** How many notes were listed without an identifier that can be used; absent if none. Each may be any of the missing notes. */
  readonly unidentified?: number | undefined
  /** Set after its first page, until its last. */
  readonly track?: ListingTrack | undefined
}

/** How a listing of several pages gets on. A field is absent where it would be 0. */
export interface ListingTrack {
  /** How many notes were listed since page one, without pages that had no new note. */
  readonly listed?: number | undefined
  /** Before a restart: how many notes were listed by the attempt that got furthest. */
  readonly furthest?: number | undefined
  /** How often the listing was restarted since it last got further, because the service no longer accepted its cursor. */
  readonly restarts?: number | undefined
  /** How many times in a row the service answered 500 to the stored cursor. */
  readonly failures?: number | undefined
  /** How many pages in a row had no new note. Restarts keep this number. */
  readonly idlePages?: number | undefined
  /** When the listing continues, if it waits. A restart that is allowed after the wait removes it. */
  readonly waitUntil?: number | undefined
  /** For a poll: the checkpoint that it started after, from which it is restarted. */
  readonly startedAfter?: string | null | undefined
  /** For a poll: the sequence number before its page one, or page one of its restart, from which its notes count as listed. */
  readonly startSequence?: number | undefined
}

/** A full listing that ended. */
export interface CompletedFullListing {
  readonly fullListingId: string
  /** The sequence number before page one. */
  readonly startSequence: number
  readonly beganAt: number
  readonly endedAt: number
  readonly seen: number
  readonly missing: number
  readonly holdsBack: boolean
  /** How many notes were listed without an identifier that can be used; absent if none. The mirror may lack them. */
  readonly unidentified?: number | undefined
}

/** The state of an integration's copy without its notes. */
export interface CopyState {
  /** The latest sequence number. */
  readonly sequence: number
  readonly progress: MirrorProgress
  /** When the last event arrived, in milliseconds since the Unix epoch; `null` before the first. */
  readonly heardAt: number | null
  /** The position of the latest change; 0 before the first. */
  readonly position: number
  /** When the first note is due; `null` if none is. */
  readonly nextDueAt: number | null
  /** When the first hidden note whose content is not erased was hidden, or earlier; `null` if there is none. */
  readonly hiddenSince: number | null
}

/** The progress of a new copy. */
export const NO_PROGRESS: MirrorProgress = {
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
  fullListing: null,
  lastFullListing: null,
}

/** Proof that a full listing has applied its last page. Without it, no note counts as missing. Only `certify` makes one. */
export interface CompletionCertificate {
  readonly [brand]: true
  readonly fullListingId: string
  /** The sequence number before page one. */
  readonly startSequence: number
}

declare const brand: unique symbol

/** Certifies a full listing; `undefined` if its last page was not applied yet. */
export function certify({
  fullListingId,
  startSequence,
  phase,
}: FullListingProgress): CompletionCertificate | undefined {
  return phase === 'listing' ? undefined : ({ fullListingId, startSequence } as CompletionCertificate)
}
