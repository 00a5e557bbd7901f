import type { NoteStatus, SummaryStatus, TranscriptStatus } from '@notewire/protocol'

/** How long the mirror keeps the content of a note that an event hid, until a read confirms the removal, in milliseconds. */
export const ERASE_WITHIN_MS = 60 * 60_000

/**
 * Whether the mirror shows a note.
 *
 * - `live`: the mirror shows it.
 * - `hidden`: an event announced its deletion, it has not been read yet, or a scan holds its removal back.
 * - `gone`: a read proved that the API key cannot access it. Its content is erased.
 */
export type Presence = 'live' | 'hidden' | 'gone'

/** The kind of read that an evidence comes from. */
export type EvidenceSource = 'backfill' | 'poll' | 'scan' | 'read'

/** The last read that proved whether a note is there. */
export interface Evidence {
  readonly says: 'present' | 'absent'
  /** The number of the mirror's own sequence when the request left. The sequence is persisted and never decreases. */
  readonly start: number
  /** The number when the response had been read. */
  readonly end: number
  readonly source: EvidenceSource
  /** For people: no decision depends on it. */
  readonly at: number
}

/** What the mirror has of a transcript or of a summary. `null` until it was read. */
export type HeldContent = 'ready' | 'empty' | 'missing' | 'failed' | 'not_ready' | null

/** The last event about a note, also if it brought nothing new. */
export interface HeardEvent {
  readonly kind: string
  readonly revision: number | null
  /** The sequence number when it arrived: a read that began before it does not prove that the note is missing. */
  readonly sequence: number
  readonly at: number
}

/** What `note.deleted` leaves with a note, so that no stale read shows the note again (open point 36). It is kept after the erasure. */
export interface DeletionFloor {
  /** The highest revision that such an event named; `null` if it named none and no revision was known. */
  readonly revision: number | null
  /** When the event arrived. */
  readonly at: number
  /** The event's `occurred_at` or its arrival, whichever is later. */
  readonly deletedAt: number
}

/** Everything that the mirror knows of a note except its content. Times are milliseconds since the Unix epoch, of this machine's clock. */
export interface NoteState {
  readonly noteId: string
  readonly presence: Presence
  /** `null` before the first read. */
  readonly evidence: Evidence | null
  /** The revision of the latest applied record: the highest that was read, unless a lower one was accepted. */
  readonly revision: number | null
  /** When that record was read first: its content may lag behind it for a minute. */
  readonly recordSeenAt: number | null
  readonly status: NoteStatus | null
  readonly transcriptStatus: TranscriptStatus | null
  readonly summaryStatus: SummaryStatus | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** The revision that transcript and summary belong to; `null` if they are to be read. */
  readonly settledRevision: number | null
  readonly transcriptHeld: HeldContent
  readonly summaryHeld: HeldContent
  /** The sequence number of the last hint or contradiction: the note must be read by a request that begins after it. */
  readonly dirty: number | null
  /** The highest revision that an event named: a response below it lags. */
  readonly hintedRevision: number | null
  /** The sequence number of the event that announced the deletion, until a later read confirms or refutes it. */
  readonly hiddenBy: number | null
  /** When that event arrived. The content is erased `ERASE_WITHIN_MS` later at the latest. */
  readonly hiddenAt: number | null
  /** The deletion that an event announced, until the note is shown again. */
  readonly floor: DeletionFloor | null
  /** Since when reads show a lower revision than an earlier read or event (open point 35). */
  readonly contradictedSince: number | null
  /** The scan that holds the removal back until `acceptRemovals`. Of a live note: the scan missed it, and a read has not confirmed that yet. */
  readonly heldByScan: string | null
  /** The number of attempts in a row that did not settle the note. */
  readonly attempts: number
  /** When to read the note or its content; `null` if there is nothing to read. */
  readonly dueAt: number | null
  readonly heard: HeardEvent | null
}

/** Whether the note or its content is to be read. */
export function hasWork({ dirty, presence, settledRevision }: NoteState): boolean {
  return dirty !== null || (presence === 'live' && settledRevision === null)
}

/** The state of a note that no listing, read or event has named. */
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
