import type { EvidenceSource } from '../interfaces/note-state.ts'
import type { NoteWrite } from '../interfaces/note-write.ts'

/** What is to be written of a note. */
export type Decision = Omit<NoteWrite, 'expectedVersion'>

/** The start and end of a read, in numbers of the mirror's own sequence and in times of this machine's clock. */
export interface ReadStamp {
  readonly start: number
  readonly end: number
  readonly source: EvidenceSource
  /** When the request left, or earlier, in milliseconds since the Unix epoch. */
  readonly begunAt: number
  /** When the response had been read. */
  readonly at: number
  /** When the full scan began that listed the record. */
  readonly scanBeganAt?: number | undefined
}
