import { callHook } from '@notewire/protocol'
import type { CallAttempt } from '../errors/notes-client-error.ts'
import type { CallSettings } from '../options/call-options.ts'
import type { ResponseNotice } from '../options/hooks.ts'
import type { ClientSettings } from '../options/notes-client-options.ts'
import { connectionFailure, networkCodeOf } from './connection-failure.ts'
import { RETRIED_STATUSES } from './failure-statuses.ts'
import { mayBeRepeated, nameOf, type Operation } from './operation.ts'
import { requestedDelayOf } from './requested-delay.ts'
import { type Body, endsEarly, readBodyOf, requestIdOf } from './response-parts.ts'

/** A call of an operation. It sends one or more requests. */
interface OutgoingCall extends CallSettings {
  /** The number of the call among the calls of all clients in this process, for the hooks. */
  readonly callId: number
  readonly operation: Operation
  readonly url: string
  readonly body: object | undefined
}

/** The response to a call, after the retries. */
export interface Answer extends Pick<Response, 'status' | 'headers'> {
  readonly operation: Operation
  /** The body; `undefined` if it is longer than 64 MiB, or if that of an error ends early. */
  readonly body: Body | undefined
  /** All requests of the call. */
  readonly attempts: readonly CallAttempt[]
}

// With a longer delay, a user would think that the program hangs.
const LONGEST_DELAY_MS = 60_000

/**
 * Sends a call with ky, which retries, delays and times out its requests.
 *
 * @throws `ConnectionError` if the last request got no complete response; the reason of the signal, if it is aborted
 */
export async function sendCall(settings: ClientSettings, call: OutgoingCall): Promise<Answer> {
  const { operation, signal, totalTimeoutMs } = call
  const { apiKey, hooks } = settings
  const deadline = performance.now() + totalTimeoutMs
  const attempts: CallAttempt[] = []
  let latest: ResponseNotice | undefined
  /** How the latest request ended; `undefined` before, and while one is under way. */
  let end: AttemptEnd | undefined
  let endedAt = 0
  let requestedMs: number | undefined

  // Not the signal itself: Node.js 22 keeps what ky derives from a signal as long as the signal, and many calls may share it.
  const callAbort = signal && new AbortController()
  const forwardAbort = () => callAbort?.abort(signal?.reason)
  signal?.addEventListener('abort', forwardAbort)
  const { default: ky, isHTTPError, isNetworkError, isTimeoutError, NetworkError } = await loadKy()
  try {
    await ky(call.url, {
      method: operation.method,
      json: call.body,
      redirect: 'manual',
      signal: callAbort?.signal ?? null,
      timeout: settings.timeoutMs,
      totalTimeout: totalTimeoutMs,
      // ky always passes a Request, although its type allows a URL.
      fetch: (request) => send(request as Request),
      retry: {
        limit: call.maxRetries,
        methods: [operation.method],
        statusCodes: [...RETRIED_STATUSES],
        // ky would also obey the reset of a rate limit that is not exceeded. `shouldRetry` reads the requested delay instead.
        afterStatusCodes: [],
        retryOnTimeout: true,
        delay: longestDelay,
        jitter: (longestMs) => (requestedMs === undefined ? Math.random() * longestMs : longestMs),
        shouldRetry: ({ error, retryCount }) => shouldRetry(error, retryCount),
      },
    })
  } catch (error) {
    signal?.throwIfAborted()
    // ky's errors contain the request with the key. They are neither thrown nor kept as a cause.
    if (!isHTTPError(error) && !isTimeoutError(error) && !isNetworkError(error)) throw error
  } finally {
    signal?.removeEventListener('abort', forwardAbort)
  }
  return answerOrFailure()

  /** If the time is over during a delay, the request before the delay says what failed. */
  function answerOrFailure(): Answer {
    const { response, body, failure = 'timeout', thrown } = end ?? {}
    if (response !== undefined) return { operation, status: response.status, headers: response.headers, body, attempts }
    throw connectionFailure(failure === 'network_error' ? failure : 'timeout', call, attempts, settings, thrown)
  }

  /** The `fetch` of ky. It also reads the body, so that a broken body is retried, and the time limit of a request includes the body. */
  async function send(request: Request): Promise<Response> {
    signal?.throwIfAborted()
    const began = performance.now()
    const delayMs = latest === undefined ? 0 : Math.round(began - endedAt)
    if (latest !== undefined) callHook(hooks.onRetry, { ...latest, delayMs })
    const sent = { callId: call.callId, operation: nameOf(operation), attempt: attempts.length + 1 }
    callHook(hooks.onRequest, sent)
    // Not among ky's options: ky copies headers three times, and starts a timer for each hook.
    for (const [name, value] of call.headers) request.headers.set(name, value)
    request.headers.set('authorization', `Bearer ${apiKey}`)
    end = undefined
    end = await attempt(settings, request, signal)
    const { response, failure, networkCode } = end
    const status = response?.status
    const requestId = response && requestIdOf(response.headers)
    endedAt = performance.now()
    latest = { ...sent, status, failure, networkCode, requestId, durationMs: endedAt - began }
    if (failure !== 'aborted') attempts.push({ status, failure, networkCode, delayMs })
    callHook(hooks.onResponse, latest)
    callHook(call.onResponse, latest)
    if (response !== undefined) return response
    throw new NetworkError(request)
  }

  /** ky calls it before `delay`. @returns `undefined` to let ky decide by the status */
  function shouldRetry(error: Error, retry: number): false | undefined {
    requestedMs = isHTTPError(error) ? requestedDelayOf(error.response) : undefined
    // Without time for the delay, ky would wait until the time is over.
    const hasTime = longestDelay(retry) < deadline - performance.now()
    return mayBeRepeated(operation, attempts.at(-1)) && hasTime ? undefined : false
  }

  /** The longest delay before a retry: what the service requests, or else a time that doubles with each retry. */
  function longestDelay(retry: number): number {
    return Math.min(LONGEST_DELAY_MS, requestedMs ?? 300 * 2 ** (retry - 1))
  }
}

let loadedKy: Promise<typeof import('ky')> | undefined

/** Loads ky at the first call: it reads `Request` when it is loaded, and Node.js then loads its whole `fetch`. */
function loadKy(): Promise<typeof import('ky')> {
  loadedKy ??= import('ky')
  return loadedKy
}

/** How one request ended: with a complete response of any status, or without one. */
interface AttemptEnd {
  readonly response?: Response
  /** The body of the response, which has been read; `undefined` if it is longer than 64 MiB, or if that of an error ends early. */
  readonly body?: Body | undefined
  /** Why there is no response. */
  readonly failure?: 'timeout' | 'network_error' | 'aborted'
  readonly networkCode?: string | undefined
  /** What `fetch` threw. It may contain the request, so only its facts are shown. */
  readonly thrown?: unknown
}

/**
 * Sends one request and reads its response to the last byte. When the request's signal is aborted, the attempt ends immediately, even if
 * `fetch` ignores the signal. If the signal of the call is not aborted then, the request has timed out.
 */
function attempt({ fetch }: ClientSettings, request: Request, signal: AbortSignal | undefined): Promise<AttemptEnd> {
  return new Promise((resolve) => {
    const end = () => resolve({ failure: signal?.aborted ? 'aborted' : 'timeout' })
    // A hook may have aborted it.
    if (request.signal.aborted) return end()
    request.signal.addEventListener('abort', end)
    const complete = async (response: Response) => {
      // The status is what the service says: an error is not hidden by a body that ends early, which only explains it.
      if (response.status >= 400) return resolve({ response, body: await readBodyOf(response).catch(() => undefined) })
      const body = await readBodyOf(response)
      // The code of Node.js for a compressed body that ends early, which its `fetch` does not report.
      if (endsEarly(request.method, response.headers, body))
        resolve({ failure: 'network_error', networkCode: 'Z_BUF_ERROR' })
      else resolve({ response, body })
    }
    const fail = (error: unknown) =>
      resolve({ failure: 'network_error', networkCode: networkCodeOf(error), thrown: error })
    Promise.resolve(request).then(fetch).then(complete).catch(fail)
  })
}
