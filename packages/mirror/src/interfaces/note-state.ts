import type { NoteStatus, SummaryStatus, TranscriptStatus } from '@notewire/protocol'

/** How long the content of a note that an event hid is kept while no read can confirm the removal, in milliseconds. */
export const ERASE_WITHIN_MS = 60 * 60_000

/**
 * Whether the mirror shows a note.
 *
 * - `live`: it is shown.
 * - `hidden`: it is not shown, and no read has settled it: an event said that it is gone, it has not been read yet, or a scan found so
 *   many notes missing that it holds their removal back.
 * - `gone`: a read showed that the API key cannot access it. Its content is erased.
 */
export type Presence = 'live' | 'hidden' | 'gone'

/** Which kind of read settled whether a note is there. */
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

/** What the mirror has of a transcript or of a summary. `null` until it was read. */
export type HeldContent = 'ready' | 'empty' | 'missing' | 'failed' | 'not_ready' | null

/** The last event about a note, also one that brought nothing new. */
export interface HeardEvent {
  readonly kind: string
  readonly revision: number | null
  /** The sequence number of the moment when it came: that a note was missing before does not prove that it still is. */
  readonly sequence: number
  /** Milliseconds since the Unix epoch of this machine's clock. */
  readonly at: number
}

/** What `note.deleted` leaves with a note, so that no stale read shows it again (open point 36). It is kept after the erasure. */
export interface DeletionFloor {
  /** The highest revision that such an event named; `null` when it named none and no revision was known. */
  readonly revision: number | null
  /** When the event arrived, in milliseconds since the Unix epoch of this machine's clock. */
  readonly at: number
  /** The time of the deletion, or a later one: the event's `occurred_at` or its arrival, whichever is later. */
  readonly deletedAt: number
}

/** Everything that the mirror knows of a note but its content. */
export interface NoteState {
  readonly noteId: string
  readonly presence: Presence
  /** `null` before the first read. */
  readonly evidence: Evidence | null
  /** The revision of the record that was applied last: the highest that was read, unless the service's lower one was accepted. */
  readonly revision: number | null
  /** When that record was read first, in milliseconds since the Unix epoch: its content may lag behind it for a while. */
  readonly recordSeenAt: number | null
  readonly status: NoteStatus | null
  readonly transcriptStatus: TranscriptStatus | null
  readonly summaryStatus: SummaryStatus | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** The revision at which transcript and summary are what the service has; `null` while they are to be read. */
  readonly settledRevision: number | null
  readonly transcriptHeld: HeldContent
  readonly summaryHeld: HeldContent
  /** The mark: the sequence number of the last hint, or contradiction, after which the note must be read; `null` without one. */
  readonly dirty: number | null
  /** The highest revision that an event named: an answer below it lags behind. */
  readonly hintedRevision: number | null
  /** The sequence number of the event that said that the note is gone, until a later read confirms or refutes it. */
  readonly hiddenBy: number | null
  /** When that event came, in milliseconds since the Unix epoch: its content is erased within a bound. */
  readonly hiddenAt: number | null
  /** The deletion that an event announced, until the note is shown again; `null` when there was none. */
  readonly floor: DeletionFloor | null
  /**
   * Since when reads show a lower revision than a read or an event before, in milliseconds since the Unix epoch; `null` while they do
   * not (open point 35).
   */
  readonly contradictedSince: number | null
  /**
   * The scan that found the note missing among so many that it waits for `acceptRemovals`. Of a note that is shown: the scan missed it
   * and could not read it, so that a read that does not find it holds it back too.
   */
  readonly heldByScan: string | null
  /** How often in a row work on the note did not settle it. */
  readonly attempts: number
  /** When there is work to do on the note, in milliseconds since the Unix epoch; `null` when there is none. */
  readonly dueAt: number | null
  readonly heard: HeardEvent | null
}

/** Whether there is something to read for a note. */
export function hasWork({ dirty, presence, settledRevision }: NoteState): boolean {
  return dirty !== null || (presence === 'live' && settledRevision === null)
}

/** A note that the mirror knows nothing of. */
export function unknownNote(noteId: string): NoteState {
  return {
    noteId,
    presence: 'hidden',
    evidence: null,
    revision: null,
    recordSeenAt: null,
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
    floor: null,
    contradictedSince: null,
    heldByScan: null,
    attempts: 0,
    dueAt: null,
    heard: null,
  }
}
