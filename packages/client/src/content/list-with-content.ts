import { type Note, OptionError } from '@notewire/protocol'
import type { CallOptions } from '../options/call-options.ts'
import { readAhead } from './read-ahead.ts'
import { type ContentReads, type NoteWithContent, readNoteContent } from './read-content.ts'

/** The options of `notes.listWithContent`. */
export interface ContentListOptions extends CallOptions {
  /**
   * The maximum number of notes that are read at the same time, ahead of the loop. A note takes up to two requests: for its transcript
   * and its summary.
   *
   * @default 4
   */
  readonly concurrency?: number | undefined
}

/** The operations that list notes and read their content. */
interface NoteReads extends ContentReads {
  list(options: CallOptions): AsyncIterable<Note>
}

/**
 * Lists notes with their content.
 *
 * @throws `OptionError` for an invalid concurrency
 */
export function createContentList(
  reads: NoteReads,
  { concurrency = 4, signal, ...options }: ContentListOptions,
): AsyncIterable<NoteWithContent> {
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new OptionError(
      'concurrency',
      'concurrency is not a whole number of at least 1. Pass the number of notes to read at the same time.',
    )
  }
  return {
    [Symbol.asyncIterator]: () =>
      readAhead(
        (stop) => reads.list({ ...options, signal: stop }),
        (note, stop) => readNoteContent(note, reads, { ...options, signal: stop }),
        { ahead: concurrency, signal },
      ),
  }
}
