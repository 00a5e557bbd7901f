import type { Note, NotePage } from '@notewire/protocol'

/**
 * Iterates over the notes of pages.
 *
 * A class, because an async generator would take a tenth of the processor time of a listing of 100,000 notes.
 */
export class NoteIterator implements AsyncIterator<Note, undefined> {
  readonly #pages: AsyncGenerator<NotePage, void, void>
  readonly #signal: AbortSignal | undefined
  #notes: readonly Note[] = []
  #position = 0
  /** Settles when the latest call of `next` that waits for a page has its note. */
  #lastWaiter: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(pages: AsyncGenerator<NotePage, void, void>, signal: AbortSignal | undefined) {
    this.#pages = pages
    this.#signal = signal
  }

  next(): Promise<IteratorResult<Note, undefined>> {
    const hasNote = this.#position < this.#notes.length
    // Calls that wait for a page get their notes first.
    return hasNote && this.#waiting === 0 ? this.#take() : this.#waitForPage()
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#notes = []
    await this.#pages.return()
    return END
  }

  #waitForPage(): Promise<IteratorResult<Note, undefined>> {
    const served = this.#lastWaiter.then(() => this.#takeFromNextPage())
    const leave = () => {
      this.#waiting -= 1
    }
    this.#waiting += 1
    this.#lastWaiter = served.then(leave, leave)
    return served
  }

  async #takeFromNextPage(): Promise<IteratorResult<Note, undefined>> {
    while (this.#position >= this.#notes.length) {
      const next = await this.#pages.next()
      if (next.done === true) return END
      this.#notes = next.value.notes
      this.#position = 0
    }
    return this.#take()
  }

  #take(): Promise<IteratorResult<Note, undefined>> {
    const note = this.#notes[this.#position]
    if (note === undefined) return Promise.resolve(END)
    // Otherwise an abort would have no effect before the end of the page.
    if (this.#signal?.aborted) return this.#abort(this.#signal)
    this.#position += 1
    return Promise.resolve({ done: false, value: note })
  }

  async #abort(signal: AbortSignal): Promise<never> {
    await this.return()
    throw signal.reason
  }
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined }
