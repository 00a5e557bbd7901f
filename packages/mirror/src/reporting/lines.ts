import { NotesClientError } from '@notewire/client'
import { MirrorError } from '../errors.ts'

/** The level and the text of a line. */
type Line = readonly [level: 'info' | 'warn' | 'error', message: string]

/** What happened to a copy, to its events, or to its notes. */
export type Occurrence = keyof typeof LINES

/** Every line of the log. A line about several integrations has their number and the ids of some of them. */
export const LINES = {
  'sync-begun': ['warn', 'a copy is not brought up to date; the mirror tries again'],
  'sync-changed': ['warn', 'a copy is still not brought up to date, now for another reason; the mirror tries again'],
  'sync-over': ['info', 'a copy is brought up to date again'],
  'key-begun': ['error', 'a copy is not brought up to date, because its API key is not accepted'],
  'store-begun': [
    'error',
    'the store of the mirror failed; check its disk or its database server; the mirror tries again',
  ],
  'store-over': ['info', 'the store of the mirror answers again'],
  'events-begun': [
    'warn',
    'no events arrive, because the webhook endpoint is not active or its deliveries are rejected; check the status of the endpoint, and in the log ' +
      'of the receiver why it refuses deliveries; the mirror polls instead',
  ],
  'events-over': ['info', 'events arrive again'],
  'never-synced': [
    'warn',
    'an event is stored in a copy that no process has synced yet; if another process syncs it, that process uses another store: pass the same ' +
      'database to both, and an absolute path if it is a file',
  ],
  'note-failed': ['warn', 'a note could not be brought up to date; the mirror fetches it again later'],
  'consumer-begun': ['error', 'a consumer failed; its changes are passed to it again later'],
  'consumer-parked': [
    'error',
    'a note failed in a consumer at every attempt, and is not passed to it again before retryParked or its next change',
  ],
  'consumer-over': ['info', 'a consumer that had failed applies its changes again'],
  'removals-held': [
    'warn',
    'a full listing missed so many notes that they are hidden, not erased; check the scopes of the key, then call acceptRemovals',
  ],
  contradiction: [
    'warn',
    'the service returned an older state of a note than before; the mirror fetches it again later',
  ],
} as const satisfies Readonly<Record<string, Line>>

/** Written at the creation of a mirror that logs the messages of errors. */
export const MESSAGES_ARE_LOGGED =
  'logErrorMessages is on: the messages of errors in this log may contain note content; use it only in development'

/** Whether no retry can help before someone acts. */
export function needsAction(error: unknown): boolean {
  if (error instanceof MirrorError) return error.code === 'key_changed' || error.code === 'key_shared'
  return error instanceof NotesClientError && (error.code === 'unauthorized' || error.code === 'forbidden')
}

/** When a problem began, and how long it has lasted. */
export function timesOf(since: number, now: number): { readonly since: string; readonly seconds: number } {
  const began = Math.min(since, now)
  return { since: new Date(began).toISOString(), seconds: Math.round((now - began) / 1_000) }
}
