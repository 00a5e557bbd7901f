import { type NotesClient, NotesClientError, RateLimitedError } from '@notewire/client'
import { OptionError } from '@notewire/protocol'
import { MirrorError } from '../interfaces/errors.ts'
import { requestListing } from './full-listing.ts'

const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'redirect_refused'])

/** After this many failed notes in a row, a listing is requested to find out whether the service is down. */
const MAX_FAILURES_IN_A_ROW = 5

const MAX_REQUESTED_PAUSE_MS = 60 * 60_000

/** Whether requests for other notes would fail too: the service refuses the key, or limits the rate. */
export function failsForEveryNote(error: unknown): boolean {
  return error instanceof NotesClientError && (REFUSALS.has(error.code) || error.code === 'rate_limited')
}

/** Whether a retry cannot succeed until the user acts. */
export function isFinal(error: unknown): boolean {
  if (error instanceof OptionError) return true
  if (error instanceof MirrorError) return error.code === 'key_changed' || error.code === 'key_unidentified'
  return error instanceof NotesClientError && REFUSALS.has(error.code)
}

/** The pause that the service requests with a 429, in milliseconds: an hour at most by default; 0 if it requests none. */
export function requestedPause(error: unknown, longestMs = MAX_REQUESTED_PAUSE_MS): number {
  const retryAfterMs = error instanceof RateLimitedError ? error.retryAfterMs : undefined
  return Math.min(retryAfterMs ?? 0, longestMs)
}

/** Distinguishes notes that cannot be read from a service that is down: after some failures in a row, it requests a listing. */
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
    if (this.#length < MAX_FAILURES_IN_A_ROW) return
    this.#length = 0
    await requestListing(this.#client, this.#signal)
  }
}
