import type { Note, Summary, Transcript } from '@notewire/protocol'
import type { SummaryContent, TranscriptContent } from '../content/read-content.ts'

/** A part of a note that {@link noteHandlers} fetches. */
export type NotePart = 'transcript' | 'summary'

/** The current state of a note, as `changed` gets it. */
export interface CurrentNote {
  readonly note: Note
  readonly transcript: CurrentTranscript
  readonly summary: CurrentSummary
}

/** The transcript with its text, or why there is none. */
export type CurrentTranscript =
  | (Transcript & { readonly status: 'ready' })
  | { readonly status: AbsentPart | 'empty'; readonly text?: undefined; readonly segments?: undefined }

/** The summary with its Markdown, or why there is none. */
export type CurrentSummary =
  | (Summary & { readonly status: 'ready'; readonly markdown: string })
  | { readonly status: AbsentPart | 'missing'; readonly markdown?: undefined }

/**
 * Why a part has no text:
 *
 * - `pending`: it may become ready later; an event announces it.
 * - `failed`: the service could not create it. Like `empty` and `missing`, this is final.
 * - `not_fetched`: the option `parts` leaves it out.
 */
export type AbsentPart = 'pending' | 'failed' | 'not_fetched'

/** Converts the transcript that the client fetched. Content that cannot be fetched yet is `pending`. */
export function currentTranscript(content: TranscriptContent): CurrentTranscript {
  switch (content.status) {
    case 'ready':
      return { ...content.transcript, status: 'ready' }
    case 'empty':
    case 'failed':
      return { status: content.status }
    default:
      return { status: 'pending' }
  }
}

/** Converts the summary that the client fetched. Content that cannot be fetched yet is `pending`. */
export function currentSummary(content: SummaryContent): CurrentSummary {
  switch (content.status) {
    case 'ready':
      return { ...content.summary, status: 'ready' }
    case 'missing':
    case 'failed':
      return { status: content.status }
    default:
      return { status: 'pending' }
  }
}
