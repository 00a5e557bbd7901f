import { NotesClientError } from '@notewire/client'
import { OptionError } from '@notewire/protocol'
import { MirrorError } from '../errors.ts'

const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'redirect_refused'])
const PAUSES: ReadonlySet<string> = new Set(['rate_limited'])

/** How many notes in a row may fail before the service counts as down. */
export const MOST_FAILURES_IN_A_ROW = 5

/**
 * What a failure of one read says of the others: the service refuses this key, and will refuse the next; it wants a pause; or it
 * is about this note, this time.
 */
export function judgeFailure(error: unknown): 'refused' | 'pause' | 'this note' {
  if (!(error instanceof NotesClientError)) return 'pause'
  if (REFUSALS.has(error.code)) return 'refused'
  return PAUSES.has(error.code) ? 'pause' : 'this note'
}

/** Whether trying again later cannot help, so that somebody must act. */
export function isFinal(error: unknown): boolean {
  if (error instanceof OptionError) return true
  if (error instanceof MirrorError) return error.code === 'key_changed'
  return error instanceof NotesClientError && REFUSALS.has(error.code)
}
