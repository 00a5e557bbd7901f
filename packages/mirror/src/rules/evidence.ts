import type { Evidence, EvidenceSource, NoteState } from '../notes/note-state.ts'
import type { KeptParts, NoteWrite } from '../notes/note-write.ts'

export type Decision = Pick<NoteWrite, 'state' | 'content' | 'announce'>

/** When a read started and ended, in sequence numbers of the mirror and in times of this machine's clock. */
export interface ReadStamp {
  /** The sequence number when the request was sent, or earlier. */
  readonly start: number
  /** A sequence number that was issued after the response was received. */
  readonly end: number
  readonly source: EvidenceSource
  /** When the request was sent, or earlier, in milliseconds since the Unix epoch. */
  readonly requestedAt: number
  readonly at: number
  /** When the full listing that listed the record began. */
  readonly fullListingBeganAt?: number | undefined
  /** For a read of a single note: the sequence number at which the latest full listing began, if one is under way or has ended. */
  readonly fullListingStartSequence?: number | undefined
}

export interface ReadPolicy {
  readonly keep: KeptParts
}

/** Whether a read began before the latest evidence ended, so that their order is unknown. */
export function overlaps({ evidence }: NoteState, { start }: ReadStamp): boolean {
  return evidence !== null && start < evidence.end
}

/** Whether a read began before the sequence number that it must begin after: such a read does not clear `readAfterSequence`. */
export function beganTooEarly({ readAfterSequence }: NoteState, { start }: ReadStamp): boolean {
  return readAfterSequence !== null && start < readAfterSequence
}

/** Whether a full listing began after the read. If it did not list the note, the read must not show the note. */
export function beganBeforeFullListing({ start, fullListingStartSequence }: ReadStamp): boolean {
  return fullListingStartSequence !== undefined && start < fullListingStartSequence
}

/** Records a read as evidence. Of two reads with the same result, the one that started later is kept. */
export function withEvidence(state: NoteState, says: Evidence['says'], stamp: ReadStamp): NoteState {
  const { evidence } = state
  if (evidence !== null && evidence.says === says && evidence.start > stamp.start) return state
  const { start, end, source, at } = stamp
  return { ...state, evidence: { says, start, end, source, at } }
}
