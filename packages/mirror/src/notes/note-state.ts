import type { NoteStatus, SummaryStatus, TranscriptStatus } from '@notewire/protocol'

/** How long the mirror keeps the content of a note that an event hid, until a read confirms the removal, in milliseconds. */
export const ERASE_WITHIN_MS = 60 * 60_000

/** How much later than `hiddenBefore` a note can have been hidden. A later time was written by a clock that was wrong. */
export const LATEST_HIDDEN_MS = 48 * 60 * 60_000

/** Whether an event hid a note at or before a time, or a clock that was wrong says that it hid it later. */
export function isHiddenSince(hiddenAt: number | null, hiddenBefore: number): boolean {
  return hiddenAt !== null && (hiddenAt <= hiddenBefore || hiddenAt > hiddenBefore + LATEST_HIDDEN_MS)
}

/**
 * Whether the mirror shows a note.
 *
 * - `live`: the mirror shows it.
 * - `hidden`: an event announced its deletion, no read has found it yet, or a full listing holds its removal back.
 * - `gone`: a read proved that the API key cannot access it. Its content is erased.
 */
export type Presence = 'live' | 'hidden' | 'gone'

/** The kind of read that evidence comes from. */
export type EvidenceSource = 'backfill' | 'poll' | 'full-listing' | 'read'

/** The latest read that proved whether the key can access a note. */
export interface Evidence {
  readonly says: 'present' | 'absent'
  /** The mirror's sequence number when the request was sent. The sequence is persisted and never decreases. */
  readonly start: number
  /** The sequence number when the response was received. */
  readonly end: number
  readonly source: EvidenceSource
  /** For information only: no decision depends on this time. */
  readonly at: number
}

/** Whether the mirror has a transcript or a summary, or why not. `null` until it was read. */
export type ContentOutcome = 'ready' | 'empty' | 'missing' | 'failed' | 'not_ready' | null

/** The latest event about a note, even if it contained nothing new. */
export interface HeardEvent {
  readonly kind: string
  readonly revision: number | null
  /** The sequence number when the event arrived. A read that began before it does not prove that the note is missing. */
  readonly sequence: number
  readonly at: number
}

/** The announced deletion of a note, so that a stale read does not show the note again (open point 36). It is kept after the erasure. */
export interface DeletionFloor {
  /** The highest revision that a `note.deleted` event named, or that was known; `null` if there was none. */
  readonly revision: number | null
  /** When the latest of these events arrived. */
  readonly at: number
  /** The event's `occurred_at` or its arrival, whichever is later. */
  readonly deletedAt: number
  /** When the latest of these events without a revision arrived (open point 38); `null` if all had one. */
  readonly unrevisedAt: number | null
}

/** The stored state of a note, without its content. Times are milliseconds since the Unix epoch, of this machine's clock. */
export interface NoteState {
  readonly noteId: string
  readonly presence: Presence
  /** `null` before the first read. */
  readonly evidence: Evidence | null
  /** The revision of the stored record: the highest that was read, unless a lower one was accepted. */
  readonly revision: number | null
  /** The revision of the record that made the note visible last; `null` before. */
  readonly visibleRevision: number | null
  /** When the stored record was first read. Its content may lag behind it for a minute. */
  readonly recordSeenAt: number | null
  readonly status: NoteStatus | null
  readonly transcriptStatus: TranscriptStatus | null
  readonly summaryStatus: SummaryStatus | null
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** The revision that transcript and summary belong to; `null` if they must be read. */
  readonly settledRevision: number | null
  readonly transcriptOutcome: ContentOutcome
  readonly summaryOutcome: ContentOutcome
  /** The sequence number of the last hint or contradiction: the note must be read by a request that begins after it. */
  readonly readAfterSequence: number | null
  /** The highest revision that an event named. A response with a lower revision lags. */
  readonly hintedRevision: number | null
  /** The sequence number of the event that announced the deletion, until a later read confirms or refutes it. */
  readonly hiddenSequence: number | null
  /** When that event arrived. The content is erased at most `ERASE_WITHIN_MS` later. */
  readonly hiddenAt: number | null
  /** The deletion that an event announced, until the note is shown again. */
  readonly floor: DeletionFloor | null
  /** When reads began to return a lower revision than an earlier read or event (open point 35). */
  readonly contradictedSince: number | null
  /** The full listing that holds the removal back until `acceptRemovals`. For a live note: it missed the note, and no read has confirmed that yet. */
  readonly heldByFullListing: string | null
  /** The number of consecutive attempts that the service answered and that did not settle the note, because the answer may lag. */
  readonly attempts: number
  /** The number of consecutive attempts in which a request failed: the service did not answer, or answered an error such as 429 or 503. */
  readonly failures: number
  /** When to read the note or its content; `null` if there is nothing to read. */
  readonly dueAt: number | null
  readonly heard: HeardEvent | null
  /** The recording session that the latest event with one named; `null` if none did. */
  readonly recordingSessionId: string | null
}

export function noteIdsOf(notes: readonly { readonly state: NoteState }[]): readonly string[] {
  return notes.map(({ state }) => state.noteId)
}

/** Whether the note or its content must be read. */
export function hasWork({ readAfterSequence, presence, settledRevision }: NoteState): boolean {
  return readAfterSequence !== null || (presence === 'live' && settledRevision === null)
}

/** The state of a note of a removed integration: its id and its removal are kept for the consumers, and nothing else. */
export function erasedNote(noteId: string): NoteState {
  return { ...unknownNote(noteId), presence: 'gone' }
}

/** Whether a note was erased with its integration, and nothing is known of it since the integration was added again. */
export function isErased({ presence, evidence, heard }: NoteState): boolean {
  return presence === 'gone' && evidence === null && heard === null
}

/** The state of a note that no listing, read or event has named. */
export function unknownNote(noteId: string): NoteState {
  return {
    noteId,
    presence: 'hidden',
    evidence: null,
    revision: null,
    visibleRevision: null,
    recordSeenAt: null,
    status: null,
    transcriptStatus: null,
    summaryStatus: null,
    createdAt: null,
    updatedAt: null,
    settledRevision: null,
    transcriptOutcome: null,
    summaryOutcome: null,
    readAfterSequence: null,
    hintedRevision: null,
    hiddenSequence: null,
    hiddenAt: null,
    floor: null,
    contradictedSince: null,
    heldByFullListing: null,
    attempts: 0,
    failures: 0,
    dueAt: null,
    heard: null,
    recordingSessionId: null,
  }
}
