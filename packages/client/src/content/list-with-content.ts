import { type Note, OptionError, type Summary, type Transcript } from '@notewire/protocol'
import type { CallOptions } from '../options/call-options.ts'
import { readAhead } from './read-ahead.ts'
import type { NoteWithContent } from './read-content.ts'
import { readNoteContent } from './read-content.ts'

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

/** The operations that read notes and their content. */
export interface ContentReads {
  list(options: CallOptions): AsyncIterable<Note>
  transcript(noteId: string, options: CallOptions): Promise<Transcript>
  summary(noteId: string, options: CallOptions): Promise<Summary>
}

/**
 * Lists notes with their content.
 *
 * @throws `OptionError` for an invalid concurrency
 */
export function createContentList(
  reads: ContentReads,
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
        (note, stop) => readContent(note, { ...options, signal: stop }),
        { ahead: concurrency, signal },
      ),
  }

  function readContent(note: Note, callOptions: CallOptions): Promise<NoteWithContent> {
    return readNoteContent(note, {
      transcript: () => reads.transcript(note.note_id, callOptions),
      summary: () => reads.summary(note.note_id, callOptions),
    })
  }
}
