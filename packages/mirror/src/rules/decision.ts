import type { EvidenceSource } from '../interfaces/note-state.ts'
import type { NoteWrite } from '../interfaces/note-write.ts'

/** What is to be written of a note. */
export type Decision = Omit<NoteWrite, 'expectedVersion'>

/** When a record was asked for and answered, by the mirror's own sequence, and by which kind of read. */
export interface ReadStamp {
  readonly start: number
  readonly end: number
  readonly source: EvidenceSource
  /** When the request left, or a little earlier, in milliseconds since the Unix epoch of this machine's clock. */
  readonly begunAt: number
  /** When the answer was in hand, by the same clock. */
  readonly at: number
  /** When the full scan began whose page it was, by the same clock. */
  readonly scanBeganAt?: number | undefined
}
