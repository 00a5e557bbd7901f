import type { Note, Summary, Transcript } from '@notewire/protocol'

/** The transcript of a listed note, or why there is none. */
export type TranscriptContent =
  | { readonly status: 'ready'; readonly transcript: Transcript }
  | { readonly status: 'empty' }
  | AbsentContent

/** The summary of a listed note, or why there is none. */
export type SummaryContent =
  | { readonly status: 'ready'; readonly summary: Summary & { readonly markdown: string } }
  | { readonly status: 'missing' }
  | AbsentContent

/** Content that cannot be read. */
export interface AbsentContent {
  /**
   * - `not_ready`: it may come later, and an event will tell.
   * - `failed`: the service could not make it.
   * - `gone`: the note is deleted, or was deleted or left the key's sight after it was listed.
   */
  readonly status: 'not_ready' | 'failed' | 'gone'
}

/** A listed note with its transcript and its summary. */
export interface NoteWithContent {
  readonly note: Note
  readonly transcript: TranscriptContent
  readonly summary: SummaryContent
}
