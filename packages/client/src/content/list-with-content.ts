import { type Note, OptionError, type Summary, type Transcript } from '@notewire/protocol'
import type { CallOptions } from '../options/call-options.ts'
import type { NoteWithContent } from './note-content.ts'
import { readAhead } from './read-ahead.ts'
import { readNoteContent } from './read-content.ts'

/** The options of `notes.listWithContent`. */
export interface ContentListOptions extends CallOptions {
  /**
   * The maximum number of requests for transcripts and summaries at the same time, and of notes that are read ahead of the loop.
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
      'concurrency is not a whole number of at least 1. Pass the number of requests to run at the same time.',
    )
  }
  return {
    [Symbol.asyncIterator]() {
      const slots = new Slots(concurrency)
      return readAhead(
        (stop) => reads.list({ ...options, signal: stop }),
        (note, stop) => readContent(note, { ...options, signal: stop }, slots),
        { ahead: concurrency, signal },
      )
    },
  }

  function readContent(note: Note, callOptions: CallOptions, slots: Slots): Promise<NoteWithContent> {
    return readNoteContent(note, {
      transcript: () => slots.run(() => reads.transcript(note.note_id, callOptions)),
      summary: () => slots.run(() => reads.summary(note.note_id, callOptions)),
    })
  }
}

/** Runs at most `count` tasks concurrently. The others wait in order. */
class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#free -= 1
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
