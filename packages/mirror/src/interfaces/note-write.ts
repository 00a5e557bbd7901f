import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { NoteState } from './note-state.ts'

/** One note to write. */
export interface NoteWrite {
  readonly state: NoteState
  readonly expectedVersion: number
  /** Whether the stored state differs from `state` in its evidence only, and the content does not change. The store may then write only the evidence. */
  readonly isStamp?: boolean | undefined
  /** Absent if the content is not changed. */
  readonly content?: ContentWrite | undefined
  /** The change that the feed shows. `appeared` also records the position at which the note became visible. */
  readonly announce?: 'appeared' | 'changed' | 'vanished' | undefined
}

/** The earliest `dueAt` of the notes; `null` if none is due. */
export function earliestDue(notes: readonly NoteWrite[]): number | null {
  const times = notes.flatMap(({ state: { dueAt } }) => dueAt ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** A change of a note's content: of the named parts, or of all. */
export type ContentWrite = 'erase' | ContentParts

/** Parts of a note's content. `null` erases a part. */
export interface ContentParts {
  readonly note?: Note | null | undefined
  readonly transcript?: Transcript | null | undefined
  readonly summary?: Summary | null | undefined
}
