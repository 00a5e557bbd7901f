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
   * - `not_ready`: it may become ready later; an event announces it.
   * - `content_not_found`: its status in the note is `ready`, but the service answered 404. The note may be deleted, or the service
   *   may lag: read the note with `client.notes.get` to find out.
   * - `failed`: the service could not create it.
   * - `gone`: the note is deleted. Its record is a tombstone.
   */
  readonly status: 'not_ready' | 'content_not_found' | 'failed' | 'gone'
}

/** A listed note with its transcript and its summary. */
export interface NoteWithContent {
  readonly note: Note
  readonly transcript: TranscriptContent
  readonly summary: SummaryContent
}
