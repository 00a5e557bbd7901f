import { type Clock, OptionError, refuseUnknownOptions, systemClock } from '@notewire/protocol'
import { parseBaseUrl } from './base-url.ts'
import { requireDuration } from './duration.ts'
import type { NotesClientHooks } from './hooks.ts'

/** How a `NotesClient` reaches its service. */
export interface NotesClientOptions {
  /**
   * Where the service is: an absolute `https` URL without `/v1` (one at the end is tolerated). `http` is for loopback
   * alone, because the API key travels with every request.
   */
  readonly baseUrl: string
  /** The API key, of any prefix (contract §2). It is sent to `baseUrl` and shown nowhere. */
  readonly apiKey: string
  /**
   * The field of the list answer that holds the notes, which the contract does not show (open point 1).
   *
   * @default 'notes'
   */
  readonly notesField?: string | undefined
  /**
   * Sends one request; a retry is another one. For a proxy, instrumentation, or a service in the same process.
   *
   * It must honour the request's `redirect` and `signal`.
   *
   * @default the global `fetch`
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /**
   * How long one attempt may take, up to the last byte of its answer, in milliseconds.
   *
   * @default 10_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * How long one call may take in all, with its retries and the pauses between them, in milliseconds. A pause that would
   * not leave time for another attempt is not made: the call then ends at once, with what the last attempt brought.
   *
   * @default 120_000
   */
  readonly totalTimeoutMs?: number | undefined
  /**
   * How often a failed request is sent again, after a network error, a timeout, or one of the statuses 408, 429, 500,
   * 502, 503 and 504. Pauses grow, are random ("full jitter"), follow `Retry-After`, and last a minute at most. A POST
   * is sent again only when it was refused with 429 or never arrived, and a creation never.
   *
   * @default 2
   */
  readonly maxRetries?: number | undefined
  /** Functions that are told of requests, answers, retries, and of what the service says that is new. */
  readonly hooks?: NotesClientHooks | undefined
  /**
   * The time by which the client waits: before a retry, for the rate limit, and in `waitUntilActive`. A single attempt
   * is timed by the machine, as its socket is.
   *
   * @default the clock of the machine
   */
  readonly clock?: Clock | undefined
}

/** The options, checked and complete. */
export interface ClientSettings {
  readonly baseUrl: string
  readonly apiKey: string
  readonly notesField: string
  readonly fetch: (request: Request) => Promise<Response>
  readonly timeoutMs: number
  readonly totalTimeoutMs: number
  readonly maxRetries: number
  readonly hooks: NotesClientHooks
  readonly clock: Clock
}

const OPTION_NAMES: readonly (keyof NotesClientOptions)[] = [
  'baseUrl',
  'apiKey',
  'notesField',
  'fetch',
  'timeoutMs',
  'totalTimeoutMs',
  'maxRetries',
  'hooks',
  'clock',
]
const HOOK_NAMES: readonly (keyof NotesClientHooks)[] = ['onRequest', 'onResponse', 'onRetry', 'onDrift']

/** @throws `OptionError` naming the first option that cannot work, and the fix */
export function resolveOptions(options: NotesClientOptions): ClientSettings {
  refuseUnknownOptions('NotesClient', options, OPTION_NAMES)
  return {
    baseUrl: parseBaseUrl(options.baseUrl),
    apiKey: requireApiKey(options.apiKey),
    notesField: requireNotesField(options.notesField ?? 'notes'),
    fetch: requireFetch(options.fetch ?? globalFetch),
    timeoutMs: requireDuration('timeoutMs', options.timeoutMs ?? 10_000),
    totalTimeoutMs: requireDuration('totalTimeoutMs', options.totalTimeoutMs ?? 120_000),
    maxRetries: requireMaxRetries(options.maxRetries ?? 2),
    hooks: requireHooks(options.hooks ?? {}),
    clock: requireClock(options.clock ?? systemClock),
  }
}

function requireApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw new OptionError(
      'apiKey',
      'apiKey is missing. Pass the key from the account console (Account → API & Webhooks).',
    )
  }
  const position = apiKey.search(/[^\x21-\x7e]/)
  if (position >= 0) {
    throw new OptionError(
      'apiKey',
      `apiKey holds a character that no key has, at position ${position + 1} of ${apiKey.length}. Copy it again, without spaces and line breaks.`,
    )
  }
  return apiKey
}

function requireNotesField(notesField: unknown): string {
  if (typeof notesField === 'string' && notesField !== '') return notesField
  throw new OptionError(
    'notesField',
    'notesField is not a field name. Pass the name of the field that holds the notes.',
  )
}

// Looked up at each request, so that a fetch put there later (instrumentation, MSW) is used.
function globalFetch(request: Request): Promise<Response> {
  return globalThis.fetch(request)
}

function requireFetch(fetch: unknown): ClientSettings['fetch'] {
  if (typeof fetch === 'function') return fetch as ClientSettings['fetch']
  throw new OptionError('fetch', 'fetch is not a function. Pass one that takes a Request and resolves to a Response.')
}

function requireMaxRetries(maxRetries: unknown): number {
  if (typeof maxRetries === 'number' && Number.isSafeInteger(maxRetries) && maxRetries >= 0) return maxRetries
  throw new OptionError('maxRetries', 'maxRetries is not a number of retries. Pass a whole number from 0.')
}

function requireHooks(hooks: NotesClientHooks): NotesClientHooks {
  refuseUnknownOptions('hooks', hooks, HOOK_NAMES)
  for (const [name, hook] of Object.entries(hooks)) {
    if (hook === undefined || typeof hook === 'function') continue
    throw new OptionError(`hooks.${name}`, `hooks.${name} is not a function. Pass one that takes a notice.`)
  }
  return hooks
}

function requireClock(clock: Clock): Clock {
  if (typeof clock.now === 'function' && typeof clock.sleep === 'function') return clock
  throw new OptionError('clock', 'clock is not a clock. Pass an object with now() and sleep(ms, signal).')
}
