import type { Note } from './note.ts'

/** One page of the list of notes (contract §4). */
export interface NotePage {
  readonly notes: readonly Note[]
  /** What to send as `cursor` for the next page, or `null` on the last one. */
  readonly next_cursor: string | null
  /** `true` while more pages follow. A page may be empty and still have more after it. */
  readonly has_more: boolean
}
