import type { SummaryStatus } from './note.ts'

/** One stretch of speech in a transcript (open point 9). */
export interface TranscriptSegment {
  readonly speaker?: string | null | undefined
  /** Milliseconds from the start of the recording. */
  readonly start_ms?: number | null | undefined
  /** Milliseconds from the start of the recording. */
  readonly end_ms?: number | null | undefined
  readonly text: string
}

/** The transcript of a note (contract §2; open point 9). */
export interface Transcript {
  readonly note_id: string
  /** The note's revision when the transcript was read. Optional. */
  readonly revision?: number | null | undefined
  readonly text: string
  readonly segments?: readonly TranscriptSegment[] | null | undefined
}

/** The summary of a note, ready or not (contract §2; open point 10). */
export interface Summary {
  readonly note_id: string
  /** The note's revision when the summary was read. Optional. */
  readonly revision?: number | null | undefined
  readonly status?: SummaryStatus | null | undefined
  /** The summary as Markdown, or `null` while there is none. */
  readonly markdown: string | null
}
