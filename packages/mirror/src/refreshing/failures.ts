import { type NotesClient, NotesClientError } from '@notewire/client'
import { OptionError } from '@notewire/protocol'
import { MirrorError } from '../errors.ts'

const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'redirect_refused'])
const PAUSES: ReadonlySet<string> = new Set(['rate_limited'])

/** How many notes in a row may fail before the service is asked whether it is down. */
const MOST_FAILURES_IN_A_ROW = 5

/** Whether a failure that one note met will meet the next: the service refuses this key, or wants a pause. */
export function concernsAll(error: unknown): boolean {
  return error instanceof NotesClientError && (REFUSALS.has(error.code) || PAUSES.has(error.code))
}

/** Whether trying again later cannot help, so that somebody must act. */
export function isFinal(error: unknown): boolean {
  if (error instanceof OptionError) return true
  if (error instanceof MirrorError) return error.code === 'key_changed'
  return error instanceof NotesClientError && REFUSALS.has(error.code)
}

/** Tells notes that cannot be read from a service that is down: after some failures in a row, one listing decides. */
export class FailureStreak {
  readonly #client: NotesClient
  readonly #signal: AbortSignal
  #length = 0

  constructor(client: NotesClient, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  /** A note was read. */
  end(): void {
    this.#length = 0
  }

  /**
   * A note could not be read.
   *
   * @throws what a service answers that is down
   */
  async lengthen(): Promise<void> {
    this.#length += 1
    if (this.#length < MOST_FAILURES_IN_A_ROW) return
    this.#length = 0
    const pages = this.#client.notes.list({ limit: 1 }, { signal: this.#signal }).pages()
    await pages[Symbol.asyncIterator]().next()
  }
}
