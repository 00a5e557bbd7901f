import ky, { isKyError, NetworkError } from 'ky'
import type { CallAttempt } from '../errors/notes-client-error.ts'
import { callHook, type ResponseNotice } from '../options/hooks.ts'
import type { ClientSettings } from '../options/notes-client-options.ts'
import { type AttemptOutcome, attempt, requestIdOf, TIMED_OUT } from './attempt.ts'
import { nameOf, type Operation } from './operation.ts'
import { retryAfterOf } from './retry-after.ts'

/** A call of an operation. It sends one or more requests. */
interface OutgoingCall {
  /** The number of the call among the calls of all clients in this process, for the hooks. */
  readonly callId: number
  readonly operation: Operation
  readonly url: string
  readonly body: object | undefined
  readonly signal: AbortSignal | undefined
  readonly totalTimeoutMs: number
  readonly maxRetries: number
  /** Headers of the user. */
  readonly headers: Headers
  readonly onResponse: ((response: ResponseNotice) => void) | undefined
}

/** The result of a call, which may consist of several requests. */
interface CallResult {
  /** How the last request ended. */
  readonly outcome: AttemptOutcome
  readonly attempts: readonly CallAttempt[]
  /** The time limit of the last request, in milliseconds. */
  readonly timeoutMs: number
}

// 529 is not an HTTP status. Some services answer it while they are overloaded.
const RETRIED_STATUSES = [408, 429, 500, 502, 503, 504, 529]
// With a longer delay, a user would think that the program hangs.
const LONGEST_DELAY_MS = 60_000
const FIRST_DELAY_MS = 300

/**
 * Sends a call with ky, which retries, delays and times out its requests. A failed call resolves with a failure as its `outcome`.
 *
 * @throws the reason of the signal, if it is aborted
 */
export async function sendCall(settings: ClientSettings, call: OutgoingCall): Promise<CallResult> {
  const { operation, signal, totalTimeoutMs } = call
  const { hooks } = settings
  const deadline = performance.now() + totalTimeoutMs
  const attempts: CallAttempt[] = []
  // The outcome if the time limit of the call passes before its first request.
  let latest: Promise<AttemptOutcome> = Promise.resolve(TIMED_OUT)
  let latestResponse: ResponseNotice | undefined
  let timeoutMs = totalTimeoutMs
  let retryAfterMs: number | undefined
  let delayMs = 0

  // Node.js 22 keeps a signal made by `AbortSignal.any` in memory as long as its source signal. If ky derived signals from a signal that
  // many calls share, each call would take longer than the one before it. So each call gets a controller of its own.
  const callAbort = signal && new AbortController()
  const forwardAbort = () => callAbort?.abort(signal?.reason)
  signal?.addEventListener('abort', forwardAbort)
  try {
    await ky(call.url, {
      method: operation.method,
      json: call.body,
      redirect: 'manual',
      signal: callAbort?.signal ?? null,
      timeout: settings.timeoutMs,
      totalTimeout: totalTimeoutMs,
      // ky always passes a Request, although its type allows a URL.
      fetch: (request) => sendForKy(request as Request),
      retry: {
        limit: call.maxRetries,
        methods: [operation.method],
        statusCodes: RETRIED_STATUSES,
        afterStatusCodes: RETRIED_STATUSES,
        retryOnTimeout: true,
        maxRetryAfter: LONGEST_DELAY_MS,
        delay: longestBackoff,
        jitter: (longest) => announceRetry(Math.random() * longest),
        shouldRetry: ({ retryCount }) => shouldRetry(retryCount),
      },
    })
  } catch (error) {
    signal?.throwIfAborted()
    // ky's errors contain the request, so they are dropped. `latest` and `attempts` say how each request ended.
    if (!isKyError(error)) throw error
  } finally {
    signal?.removeEventListener('abort', forwardAbort)
  }
  return { outcome: await latest, attempts, timeoutMs }

  async function sendForKy(request: Request): Promise<Response> {
    retryAfterMs = undefined
    latest = recordAttempt(request)
    const outcome = await latest
    if (outcome.failure !== undefined) throw new NetworkError(request)
    // ky only decides about retries, so it gets an empty 200 for every response that is not retried.
    if (!RETRIED_STATUSES.includes(outcome.status)) return new Response()
    // ky would compare a date in Retry-After with the clock of this machine. `retryAfterOf` uses the clock of the service.
    retryAfterMs = retryAfterOf(outcome.headers)
    return new Response(null, {
      status: outcome.status,
      headers: retryAfterMs === undefined ? {} : { 'retry-after': `${retryAfterMs / 1000}` },
    })
  }

  /** @returns `undefined` to let ky decide. Never `true`, because ky would then ignore `Retry-After`. */
  async function shouldRetry(retry: number): Promise<false | undefined> {
    const outcome = await latest
    const longestMs = Math.min(LONGEST_DELAY_MS, retryAfterMs ?? longestBackoff(retry))
    if (!mayBeRepeated(operation, outcome) || longestMs >= deadline - performance.now()) return false
    // Without `Retry-After`, ky calls `jitter`, which announces the retry.
    if (retryAfterMs !== undefined) announceRetry(longestMs)
    return undefined
  }

  function announceRetry(ms: number): number {
    delayMs = ms
    if (latestResponse !== undefined) callHook(hooks.onRetry, { ...latestResponse, delayMs })
    return delayMs
  }

  async function recordAttempt(request: Request): Promise<AttemptOutcome> {
    signal?.throwIfAborted()
    const notice = { callId: call.callId, operation: nameOf(operation), attempt: attempts.length + 1 }
    const began = performance.now()
    timeoutMs = Math.min(settings.timeoutMs, deadline - began)
    // Set here and not in ky's options, because ky would copy them three times.
    for (const [name, value] of call.headers) request.headers.set(name, value)
    request.headers.set('accept', 'application/json')
    request.headers.set('authorization', `Bearer ${settings.apiKey}`)
    callHook(hooks.onRequest, notice)
    let outcome: AttemptOutcome | typeof ABORTED = ABORTED
    try {
      outcome = await attempt(settings.fetch, request, signal)
      const { status, failure, networkCode } = outcome
      attempts.push({ status, failure, networkCode, delayMs })
      return outcome
    } finally {
      const { status, failure, networkCode, headers } = outcome
      const requestId = headers && requestIdOf(headers)
      latestResponse = { ...notice, status, failure, networkCode, requestId, durationMs: performance.now() - began }
      callHook(hooks.onResponse, latestResponse)
      callHook(call.onResponse, latestResponse)
    }
  }
}

const ABORTED = { status: undefined, failure: 'aborted', networkCode: undefined, headers: undefined } as const

/** The longest delay before a retry without `Retry-After`. It doubles with each retry. */
function longestBackoff(retry: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (retry - 1))
}

// With these codes, the service has not received the request.
const UNSENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/** Whether a failed request may be sent again. With `if_refused`, only if the service has certainly not carried out the operation. */
function mayBeRepeated({ repeatable }: Operation, { status, networkCode = '' }: AttemptOutcome): boolean {
  switch (repeatable) {
    case 'always':
      return true
    case 'if_refused':
      return status === 429 || UNSENT_CODES.includes(networkCode)
    case 'never':
      return false
  }
}
