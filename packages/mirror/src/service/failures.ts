import { ApiError, NotesClientError, RateLimitedError } from '@notewire/client'
import { NotewireError, OptionError, ShapeError } from '@notewire/protocol'
import { KeyChangedError, MirrorError } from '../errors.ts'

const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'redirect_refused'])

const MAX_REQUESTED_PAUSE_MS = 60 * 60_000

/** Whether an error that ended work is of the store: neither of the service, nor of the mirror itself. */
export function isOfStore(error: unknown): boolean {
  return ![NotesClientError, MirrorError, OptionError, ShapeError].some((known) => error instanceof known)
}

/**
 * Whether work on other notes would fail too: the service refuses the key, or limits the rate, or the database failed. An error of the database that
 * the store does not know may be caused by this note.
 */
export function failsForEveryNote(error: unknown): boolean {
  if (error instanceof NotewireError && isOfStore(error)) return true
  return error instanceof NotesClientError && (REFUSALS.has(error.code) || error.code === 'rate_limited')
}

/** Whether `run` gives up: the mirror was made with a wrong option, another key, or a wrong address. The service may accept a refused key again. */
export function isFinal(error: unknown): boolean {
  if (error instanceof OptionError) return true
  if (error instanceof KeyChangedError) return true
  return error instanceof NotesClientError && error.code === 'redirect_refused'
}

/** The pause that the service requests with a 429, in milliseconds: an hour at most by default; 0 if it requests none. */
export function requestedPause(error: unknown, longestMs = MAX_REQUESTED_PAUSE_MS): number {
  const retryAfterMs = error instanceof RateLimitedError ? error.retryAfterMs : undefined
  return Math.min(retryAfterMs ?? 0, longestMs)
}

/** What a failed request with a cursor says about the cursor: the service may not know it, or it answered 500; `undefined` if nothing. */
export function cursorSuspicion(error: unknown): 'unknown' | 'failed' | undefined {
  if (!(error instanceof ApiError)) return undefined
  // 400 and 422 are `invalid_request`. The rest of the query was accepted before.
  if (error.code === 'cursor_expired' || error.code === 'invalid_request') return 'unknown'
  return error.status === 500 ? 'failed' : undefined
}

/** Whether the client has stopped a listing because of its pages without a new note. */
export function isEndlessListing(error: unknown): boolean {
  return error instanceof NotesClientError && error.code === 'listing_endless'
}
