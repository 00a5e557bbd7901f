import type { CallAttempt } from '../errors/notes-client-error.ts'
import type { Operation } from './operation.ts'
import { serverToken } from './server-token.ts'

/** How one request ended: with a complete answer, or without one. */
export type AttemptOutcome = AnsweredAttempt | FailedAttempt

/** A request that got a complete answer, of any status. */
interface AnsweredAttempt {
  readonly status: number
  readonly failure: undefined
  readonly networkCode: undefined
  readonly headers: Headers
  /** The body; `undefined` if it is longer than 64 MiB. */
  readonly text: string | undefined
}

/** A request without a complete answer. */
export interface FailedAttempt {
  readonly status: undefined
  readonly failure: 'timeout' | 'network_error'
  readonly networkCode: string | undefined
  readonly headers: undefined
}

/** The response to one call, after the retries. */
export interface Answer extends Pick<AnsweredAttempt, 'status' | 'headers' | 'text'> {
  readonly operation: Operation
  /** All requests of the call. */
  readonly attempts: readonly CallAttempt[]
}

/** The service's id for the request, if it sent one (open point 22). */
export function requestIdOf(headers: Headers): string | undefined {
  return serverToken(headers.get('x-request-id'))
}

const NO_ANSWER = { status: undefined, networkCode: undefined, headers: undefined } as const
export const TIMED_OUT: FailedAttempt = { ...NO_ANSWER, failure: 'timeout' }

/**
 * Sends one request and reads its answer to the last byte. When the request's signal is aborted, the attempt ends
 * immediately, even if `fetch` ignores the signal.
 *
 * @param signal  the signal of the call. If the request is aborted and this signal is not, the request has timed out.
 * @throws the reason of `signal`, and nothing else
 */
export function attempt(
  fetch: (request: Request) => Promise<Response>,
  request: Request,
  signal: AbortSignal | undefined,
): Promise<AttemptOutcome> {
  return new Promise((resolve, reject) => {
    request.signal.addEventListener('abort', () => {
      if (signal?.aborted) reject(signal.reason)
      else resolve(TIMED_OUT)
    })
    exchange(fetch, request).then(resolve, (thrown) => {
      resolve({ ...NO_ANSWER, failure: 'network_error', networkCode: networkCodeOf(thrown) })
    })
  })
}

async function exchange(fetch: (request: Request) => Promise<Response>, request: Request): Promise<AnsweredAttempt> {
  const response = await fetch(request)
  const { status, headers } = response
  return { status, failure: undefined, networkCode: undefined, headers, text: await readText(response) }
}

// Larger than any page or transcript. Without a limit, a faulty service could exhaust the memory.
const LONGEST_BODY_BYTES = 64 * 1024 * 1024

async function readText({ body }: Response): Promise<string | undefined> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > LONGEST_BODY_BYTES) {
      // The connection may already be broken. The rest of the body is not needed either way.
      reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

const NETWORK_CODE_FORM = /^[A-Z][A-Z0-9_]{1,63}$/
const DEEPEST_CAUSE = 5

/** Returns only the runtime's code of a thrown value: the value may contain the request, and a custom `fetch` may throw anything. */
function networkCodeOf(thrown: unknown): string | undefined {
  let error = thrown
  for (let depth = 0; depth < DEEPEST_CAUSE && error instanceof Error; depth += 1) {
    if ('code' in error && typeof error.code === 'string' && NETWORK_CODE_FORM.test(error.code)) return error.code
    error = error.cause
  }
  return undefined
}
