import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { NotePart } from '../notes/note-parts.ts'

/** A change that a consumer gets: a note with its content, or a removal. */
export type ConsumerChange = ContentChange | RemovalChange

/** A note that is new, changed, restored or settled. */
export interface ContentChange {
  readonly kind: 'content'
  readonly noteId: string
  /** The record. In a mirror that does not keep title and content, it has neither. */
  readonly note: Note
  /** `null` if there is none, or none yet. */
  readonly transcript: Transcript | null
  /** `null` if there is none, or none yet. */
  readonly summary: Summary | null
  /**
   * Identifies this version of the transcript: a number that grows with each change of the transcript, and when the note is restored. It
   * is the same if the change is sent again. `null` if there is no transcript.
   */
  readonly transcriptVersion: number | null
  /** The `recording_session_id` of the latest event that named one; `null` if no such event has arrived. */
  readonly recordingSessionId: string | null
  /**
   * The parts that changed since the consumer last applied a change of this note. For a new or restored note, all parts. If only other fields of
   * the record changed, or the note became settled, none.
   */
  readonly parts: readonly NotePart[]
  /** SHA-256 of each part, hexadecimal; `null` for an absent part. Equal parts always have equal hashes. */
  readonly hashes: Readonly<Record<NotePart, string | null>>
  /** Whether transcript and summary belong to the note's revision. If not, another change follows. */
  readonly isSettled: boolean
}

/** A note was removed, or an event announced its removal: erase your data of it. A restored note is sent again. */
export interface RemovalChange {
  readonly kind: 'removed'
  readonly noteId: string
}
