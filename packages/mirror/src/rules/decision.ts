import type { EvidenceSource } from '../interfaces/note-state.ts'
import type { NoteWrite } from '../interfaces/note-write.ts'

/** What to write for a note. */
export type Decision = Omit<NoteWrite, 'expectedVersion' | 'isStamp'>

/** When a read started and ended, in sequence numbers of the mirror and in times of this machine's clock. */
export interface ReadStamp {
  readonly start: number
  readonly end: number
  readonly source: EvidenceSource
  /** When the request was sent, or earlier, in milliseconds since the Unix epoch. */
  readonly requestedAt: number
  /** When the response was received. */
  readonly at: number
  /** When the full scan that listed the record began. */
  readonly scanBeganAt?: number | undefined
  /** For a read of a single note: the sequence number at which the latest scan began, if one is under way or has ended. */
  readonly scanStartedAt?: number | undefined
}
