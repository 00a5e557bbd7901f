import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import { parseBaseUrl } from './base-url.ts'
import { type NotesClientHooks, withDebugLog } from './hooks.ts'

/** The options of a `NotesClient`. */
export interface NotesClientOptions {
  /**
   * The address of the service: an absolute `https` URL. A `/v1` at its end is ignored. `http` is allowed only for loopback addresses,
   * because every request contains the API key.
   *
   * @default the environment variable `NOTES_BASE_URL`
   */
  readonly baseUrl?: string | undefined
  /**
   * The API key, of any prefix (contract §2). It is sent only to `baseUrl`, and never shown.
   *
   * @default the environment variable `NOTES_API_KEY`
   */
  readonly apiKey?: string | undefined
  /**
   * The field of the list response that contains the notes. The contract does not show its name (open point 1).
   *
   * @default 'notes'
   */
  readonly notesField?: string | undefined
  /**
   * Sends one request: for a proxy, instrumentation, or a service in the same process. Each retry calls it again.
   *
   * It must respect the request's `redirect` and `signal`.
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
   * How long one call may take in all, with its retries and the delays before them, in milliseconds. If the delay before
   * a retry could exceed the time left, the call ends at once with the error of its last attempt.
   *
   * @default 120_000
   */
  readonly totalTimeoutMs?: number | undefined
  /**
   * The maximum number of retries of a request, after a network error, a timeout, a response that ends early, or one of
   * the statuses 408, 425, 429, 500, 502, 503, 504 and 520 to 530. The delay before a retry is `Retry-After`, after a 429
   * also the time until the rate limit is reset, or else random ("full jitter") with an upper bound that doubles with
   * each retry, and a minute at most. A POST is retried only if it was refused with 429 or if no
   * connection was made, and a creation never.
   *
   * @default 2
   */
  readonly maxRetries?: number | undefined
  /** Functions that the client calls for requests, answers, retries, and unknown fields and values. */
  readonly hooks?: NotesClientHooks | undefined
}

/** The options, checked and complete. */
export interface ClientSettings {
  readonly baseUrl: string
  /** Where the base URL comes from, in words. */
  readonly baseUrlSource: string
  readonly apiKey: string
  readonly notesField: string
  readonly fetch: (request: Request) => Promise<Response>
  readonly timeoutMs: number
  readonly totalTimeoutMs: number
  readonly maxRetries: number
  readonly hooks: NotesClientHooks
}

const OPTION_NAMES: Readonly<Record<keyof NotesClientOptions, true>> = {
  baseUrl: true,
  apiKey: true,
  notesField: true,
  fetch: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  maxRetries: true,
  hooks: true,
}
/** The names of options in other libraries, with our names. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['token', 'apiKey'],
  ['accessToken', 'apiKey'],
  ['bearerToken', 'apiKey'],
  ['auth', 'apiKey'],
  ['host', 'baseUrl'],
  ['endpoint', 'baseUrl'],
])
const HOOK_NAMES: Readonly<Record<keyof NotesClientHooks, true>> = {
  onRequest: true,
  onResponse: true,
  onRetry: true,
  onDrift: true,
}

/** @throws `OptionError` for the first invalid option */
export function resolveOptions(options: NotesClientOptions): ClientSettings {
  refuseUnknownOptions('NotesClient', options, OPTION_NAMES, ALIASES)
  return {
    baseUrl: requireBaseUrl(options.baseUrl),
    baseUrlSource: sourceOfBaseUrl(options.baseUrl),
    apiKey: requireApiKey(options.apiKey),
    notesField: requireNotesField(options.notesField ?? 'notes'),
    fetch: requireFetch(options.fetch ?? globalFetch),
    timeoutMs: requireDuration('timeoutMs', options.timeoutMs ?? 10_000),
    totalTimeoutMs: requireDuration('totalTimeoutMs', options.totalTimeoutMs ?? 120_000),
    maxRetries: requireMaxRetries(options.maxRetries ?? 2),
    hooks: withDebugLog(requireHooks(options.hooks ?? {}), fromEnvironment('NOTES_LOG')),
  }
}

function requireBaseUrl(given: unknown): string {
  const { value, source } = optionOrVariable('baseUrl', given, 'NOTES_BASE_URL')
  if (value !== undefined) return parseBaseUrl(value, source)
  throw new OptionError(
    'baseUrl',
    'baseUrl is missing. Pass the address of the notes service, such as https://notes.example, or set NOTES_BASE_URL in the environment.',
  )
}

/** Where a base URL comes from. A program may pass on the variable, or ignore it. */
function sourceOfBaseUrl(given: string | undefined): string {
  if (given === undefined) return 'the environment variable NOTES_BASE_URL'
  const isVariable = given === fromEnvironment('NOTES_BASE_URL')
  return `the option baseUrl${isVariable ? ', which is also NOTES_BASE_URL in the environment' : ''}`
}

function requireApiKey(given: unknown): string {
  const { value, source } = optionOrVariable('apiKey', given, 'NOTES_API_KEY')
  if (value !== undefined && value !== null && typeof value !== 'string') {
    throw new OptionError('apiKey', `apiKey ${notText(value)}. Pass the key as a string.`)
  }
  if (!value) {
    throw new OptionError(
      'apiKey',
      'apiKey is missing. Pass the key from the account console (Account → API & Webhooks), or set NOTES_API_KEY in the environment.',
    )
  }
  if (/^["'`].*["'`]$/.test(value)) {
    throw new OptionError(
      'apiKey',
      `${source} has quotes around the key. Remove them: some programs keep the quotes of .env.`,
    )
  }
  const surroundings = SURROUNDINGS.find(([pattern]) => pattern.test(value))
  if (surroundings !== undefined) throw new OptionError('apiKey', `${source} ${surroundings[1]}`)
  const position = value.search(/[^\x21-\x7e]/)
  if (position >= 0) {
    throw new OptionError(
      'apiKey',
      `${source} contains a character that an API key cannot contain, at position ${position + 1} of ${value.length}. Copy the key again, without spaces and line breaks.`,
    )
  }
  return value
}

/** What is pasted instead of a key, or with it. A signing secret would be sent to the service. */
const SURROUNDINGS: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [
    /^whsec_/,
    'is a signing secret of webhooks, which is not sent to the service. Pass the API key from the account console (Account → API & Webhooks).',
  ],
  [/^NOTES_[A-Z_]{1,20}=/, 'has the name of its variable before it. Remove the name and the equals sign.'],
  [/^bearer\s/i, 'has "Bearer " before it. Remove it: the client adds it.'],
  [/^<.*>$/, 'is a placeholder. Replace it with the API key from the account console (Account → API & Webhooks).'],
]

/** Says what a value is that should be a text. */
export function notText(value: unknown): string {
  if (typeof Object(value).then === 'function') return 'is a promise: await it'
  if (Array.isArray(value)) return 'is a list, not a string'
  return `is not a string but ${typeof value}`
}

/** The value of an option, or else of the environment variable, and the name of its source for errors. */
function optionOrVariable(option: string, given: unknown, variable: string): { value: unknown; source: string } {
  if (given !== undefined) return { value: given, source: option }
  return { value: fromEnvironment(variable), source: variable }
}

/** An environment variable; `undefined` if it is empty or missing, or if there is no environment. */
function fromEnvironment(variable: string): string | undefined {
  try {
    return globalThis.process?.env?.[variable] || undefined
  } catch {
    // Deno refuses to read a variable without --allow-env.
    return undefined
  }
}

function requireNotesField(notesField: unknown): string {
  if (typeof notesField === 'string' && notesField !== '') return notesField
  throw new OptionError(
    'notesField',
    'notesField is not a field name. Pass the name of the response field that contains the notes.',
  )
}

// Looked up at each request, so that a fetch that is installed later (instrumentation, MSW) is used.
function globalFetch(request: Request): Promise<Response> {
  return globalThis.fetch(request)
}

function requireFetch(fetch: unknown): ClientSettings['fetch'] {
  if (typeof fetch === 'function') return fetch as ClientSettings['fetch']
  throw new OptionError(
    'fetch',
    'fetch is not a function. Pass a function that takes a Request and resolves to a Response.',
  )
}

// Longer timers fire at once.
const LONGEST_MS = 2_147_483_647

/** @throws `OptionError` if a timer cannot wait that long */
export function requireDuration(option: string, ms: unknown): number {
  if (typeof ms === 'number' && ms > 0 && ms <= LONGEST_MS) return ms
  throw new OptionError(
    option,
    `${option} is not a valid duration. Pass a number of milliseconds greater than 0 and at most ${LONGEST_MS}.`,
  )
}

export function requireMaxRetries(maxRetries: unknown): number {
  if (typeof maxRetries === 'number' && Number.isSafeInteger(maxRetries) && maxRetries >= 0) return maxRetries
  throw new OptionError('maxRetries', 'maxRetries is not a whole number. Pass a whole number, 0 or more.')
}

function requireHooks(hooks: NotesClientHooks): NotesClientHooks {
  refuseUnknownOptions('hooks', hooks, HOOK_NAMES)
  for (const [name, hook] of Object.entries(hooks)) {
    if (hook !== undefined) requireFunction(`hooks.${name}`, hook)
  }
  return hooks
}

/** @throws `OptionError` if a hook is no function */
export function requireFunction(option: string, hook: unknown): void {
  if (typeof hook === 'function') return
  throw new OptionError(option, `${option} is not a function. Pass a function that takes a notice.`)
}
