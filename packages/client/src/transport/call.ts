import ky, { isKyError, NetworkError } from 'ky'
import type { CallAttempt } from '../errors/notes-client-error.ts'
import type { ResponseNotice } from '../options/hooks.ts'
import type { ClientSettings } from '../options/notes-client-options.ts'
import { type AttemptOutcome, attempt, requestIdOf, TIMED_OUT } from './attempt.ts'
import { nameOf, type Operation } from './operation.ts'
import { retryAfterOf } from './retry-after.ts'
import { tellHook } from './tell-hook.ts'

/** One call, as it is sent. */
interface OutgoingCall {
  /** Its number among the calls of all clients, for the hooks. */
  readonly callId: number
  readonly operation: Operation
  readonly url: string
  readonly body: object | undefined
  readonly signal: AbortSignal | undefined
  readonly totalTimeoutMs: number
}

/** How a call ended. */
interface CallEnd {
  /** How its last request ended. */
  readonly outcome: AttemptOutcome
  readonly attempts: readonly CallAttempt[]
  /** How long the last request was given, in milliseconds. */
  readonly timeoutMs: number
}

// 529 is not an HTTP status. Some services answer it while they are overloaded.
const RETRIED_STATUSES = [408, 429, 500, 502, 503, 504, 529]
// A longer delay would look like a hang.
const LONGEST_DELAY_MS = 60_000
const FIRST_DELAY_MS = 300

/**
 * Sends a call with ky, which repeats its requests, delays them and limits their time.
 *
 * @throws the reason of the signal, and nothing else
 */
export async function sendCall(settings: ClientSettings, call: OutgoingCall): Promise<CallEnd> {
  const { operation, signal, totalTimeoutMs } = call
  const { hooks } = settings
  const deadline = performance.now() + totalTimeoutMs
  const attempts: CallAttempt[] = []
  // The time of a call may be over before its first request.
  let latest: Promise<AttemptOutcome> = Promise.resolve(TIMED_OUT)
  let latestResponse: ResponseNotice | undefined
  let timeoutMs = totalTimeoutMs
  let retryAfterMs: number | undefined
  let delayMs = 0

  // Node.js 22 keeps what follows a signal until the signal is gone. If ky followed a signal of many calls, each call
  // would take longer than the one before it.
  const following = signal && new AbortController()
  const follow = () => following?.abort(signal?.reason)
  signal?.addEventListener('abort', follow)
  try {
    await ky(call.url, {
      method: operation.method,
      json: call.body,
      redirect: 'manual',
      signal: following?.signal ?? null,
      timeout: settings.timeoutMs,
      totalTimeout: totalTimeoutMs,
      // ky always passes a Request, although its type allows a URL.
      fetch: (request) => answerKy(request as Request),
      retry: {
        limit: settings.maxRetries,
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
    // ky's errors hold the request, and are dropped. How each request ended is known without them.
    if (!isKyError(error)) throw error
  } finally {
    signal?.removeEventListener('abort', follow)
  }
  return { outcome: await latest, attempts, timeoutMs }

  async function answerKy(request: Request): Promise<Response> {
    retryAfterMs = undefined
    latest = recordAttempt(request)
    const outcome = await latest
    if (outcome.failure !== undefined) throw new NetworkError(request)
    // For ky, an answer that is not retried is a success.
    if (!RETRIED_STATUSES.includes(outcome.status)) return new Response()
    // ky compares a date in Retry-After with the clock of this machine. It gets seconds of the service's clock instead.
    retryAfterMs = retryAfterOf(outcome.headers)
    return new Response(null, {
      status: outcome.status,
      headers: retryAfterMs === undefined ? {} : { 'retry-after': `${retryAfterMs / 1000}` },
    })
  }

  /** @returns `undefined` to let ky decide. After `true`, ky would ignore `Retry-After`. */
  async function shouldRetry(retry: number): Promise<false | undefined> {
    const outcome = await latest
    const longestMs = Math.min(LONGEST_DELAY_MS, retryAfterMs ?? longestBackoff(retry))
    if (!mayBeRepeated(operation, outcome) || longestMs >= deadline - performance.now()) return false
    // ky applies the jitter to any other delay, which is announced then.
    if (retryAfterMs !== undefined) announceRetry(longestMs)
    return undefined
  }

  function announceRetry(ms: number): number {
    delayMs = ms
    if (latestResponse !== undefined) tellHook(hooks.onRetry, { ...latestResponse, delayMs })
    return delayMs
  }

  async function recordAttempt(request: Request): Promise<AttemptOutcome> {
    signal?.throwIfAborted()
    const notice = { callId: call.callId, operation: nameOf(operation), attempt: attempts.length + 1 }
    const began = performance.now()
    timeoutMs = Math.min(settings.timeoutMs, deadline - began)
    // Headers among ky's options would be copied three times.
    request.headers.set('accept', 'application/json')
    request.headers.set('authorization', `Bearer ${settings.apiKey}`)
    tellHook(hooks.onRequest, notice)
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
      tellHook(hooks.onResponse, latestResponse)
    }
  }
}

const ABORTED = { status: undefined, failure: 'aborted', networkCode: undefined, headers: undefined } as const

/** The longest delay before a retry that the service does not time. It doubles with each retry. */
function longestBackoff(retry: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (retry - 1))
}

// The request never left this machine, or no connection was made.
const UNSENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/** Whether a failed request may be sent again, considering that the service may have carried it out. */
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
