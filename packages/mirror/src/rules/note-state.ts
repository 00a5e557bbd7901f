import type { NoteStatus, SummaryStatus, TranscriptStatus } from '@notewire/protocol'

/**
 * Whether a note is to be seen in the mirror.
 *
 * - `live`: it is shown.
 * - `hidden`: it is not shown, and nothing is settled yet: an event said that it is gone, nobody has read it so far, or a
 *   scan found more notes missing than it may remove without being told.
 * - `gone`: a read proved that the key cannot see it. Its content is erased.
 */
export type Presence = 'live' | 'hidden' | 'gone'

/** Which kind of read it was that settled whether a note is there. */
export type EvidenceSource = 'backfill' | 'poll' | 'scan' | 'read'

/**
 * The last read that settled whether a note is there. Start and end are numbers of the mirror's own sequence, which is
 * persisted and never goes back: when the request left, and when its answer was in hand.
 */
export interface Evidence {
  readonly says: 'present' | 'absent'
  readonly start: number
  readonly end: number
  readonly source: EvidenceSource
  /** Milliseconds since the Unix epoch, for people: nothing is decided by it. */
  readonly at: number
}

/** What the copy holds of a transcript or of a summary. `null` while it was not read. */
export type HeldContent = 'ready' | 'empty' | 'missing' | 'failed' | 'not_ready' | null

/** The last event that said something of a note, also what was known already. */
export interface HeardEvent {
  readonly kind: string
  readonly revision: number | null
  /** The sequence number of the moment when it came: that a note was missing before does not prove that it still is. */
  readonly sequence: number
  /** Milliseconds since the Unix epoch of this machine's clock. */
  readonly at: number
}

/** Everything that the mirror knows of a note but its content. */
export interface NoteState {
  readonly noteId: string
  readonly presence: Presence
  /** `null` before the first read. */
  readonly evidence: Evidence | null
  /** The revision of the record that was applied last: the highest that was read. */
  readonly revision: number | null
  readonly status: NoteStatus | null
  readonly transcriptStatus: TranscriptStatus | null
  readonly summaryStatus: SummaryStatus | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** The revision at which transcript and summary are what the service has; `null` while they are to be read. */
  readonly settledRevision: number | null
  readonly transcriptHeld: HeldContent
  readonly summaryHeld: HeldContent
  /** The sequence number of the last hint, or contradiction, after which the note must be read; `null` when it need not. */
  readonly dirty: number | null
  /** The highest revision that an event spoke of: an answer below it lags behind. */
  readonly hintedRevision: number | null
  /** The sequence number of the event that said that the note is gone, until a later read tells. */
  readonly hiddenBy: number | null
  /** When that event came, in milliseconds since the Unix epoch: its content is erased within a bound. */
  readonly hiddenAt: number | null
  /** The scan that found the note missing among so many that it waits for `acceptRemovals`. */
  readonly heldByScan: string | null
  /** How often in a row work on the note did not settle it. */
  readonly attempts: number
  /** When there is work to do on the note, in milliseconds since the Unix epoch; `null` when there is none. */
  readonly dueAt: number | null
  readonly heard: HeardEvent | null
}

/** A note that the mirror has never heard of. */
export function unknownNote(noteId: string): NoteState {
  return {
    noteId,
    presence: 'hidden',
    evidence: null,
    revision: null,
    status: null,
    transcriptStatus: null,
    summaryStatus: null,
    createdAt: null,
    updatedAt: null,
    settledRevision: null,
    transcriptHeld: null,
    summaryHeld: null,
    dirty: null,
    hintedRevision: null,
    hiddenBy: null,
    hiddenAt: null,
    heldByScan: null,
    attempts: 0,
    dueAt: null,
    heard: null,
  }
}
