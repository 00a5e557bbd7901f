import type { SummaryStatus } from './note.ts'

/** The summary of a note, ready or not (contract §2; open point 10). */
export interface Summary {
  readonly note_id: string
  /** The note's revision when the summary was read. Optional. */
  readonly revision?: number | null | undefined
  readonly status?: SummaryStatus | null | undefined
  /** The summary as Markdown, or `null` while there is none. */
  readonly markdown: string | null
}
