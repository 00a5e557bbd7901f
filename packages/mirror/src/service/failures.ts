import { type NotesClient, NotesClientError } from '@notewire/client'
import { OptionError } from '@notewire/protocol'
import { MirrorError } from '../interfaces/errors.ts'

const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'redirect_refused'])

/** How many notes in a row may fail before the service is asked whether it is down. */
const MOST_FAILURES_IN_A_ROW = 5

/** Whether the request for every other note would fail too: the service refuses the key, or limits the rate. */
export function failsForEveryNote(error: unknown): boolean {
  return error instanceof NotesClientError && (REFUSALS.has(error.code) || error.code === 'rate_limited')
}

/** Whether trying again later cannot help: the user must act. */
export function isFinal(error: unknown): boolean {
  if (error instanceof OptionError) return true
  if (error instanceof MirrorError) return error.code === 'key_changed' || error.code === 'key_unidentified'
  return error instanceof NotesClientError && REFUSALS.has(error.code)
}

/** Distinguishes notes that cannot be read from a service that is down: after some failures in a row, one listing decides. */
export class FailureStreak {
  readonly #client: NotesClient
  readonly #signal: AbortSignal
  #length = 0

  constructor(client: NotesClient, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
  }

  recordSuccess(): void {
    this.#length = 0
  }

  /** @throws the error of the listing, if the service is down */
  async recordFailure(): Promise<void> {
    this.#length += 1
    if (this.#length < MOST_FAILURES_IN_A_ROW) return
    this.#length = 0
    const pages = this.#client.notes.list({ limit: 1 }, { signal: this.#signal }).pages()
    await pages[Symbol.asyncIterator]().next()
  }
}
