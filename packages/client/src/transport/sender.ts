import type { ClientSettings } from '../notes-client-options.ts'
import type { AttemptOutcome, FailedAttempt } from './attempt-outcome.ts'
import { readText } from './read-text.ts'

/** One request to send. */
export interface OutgoingRequest {
  readonly method: string
  readonly url: string
  readonly body: object | undefined
  /** How long it may take, up to the last byte of its answer. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Sends one request, once.
 *
 * @throws the signal's reason, and nothing else
 */
export type Send = (request: OutgoingRequest) => Promise<AttemptOutcome>

// More than any page of notes or transcript has. Without an end, a broken service could fill the memory.
const LONGEST_ANSWER_BYTES = 64 * 1024 * 1024

/** Makes the sender. The key lives in its closure, where nothing that inspects or serialises can see it. */
export function createSender({ apiKey, fetch }: Pick<ClientSettings, 'apiKey' | 'fetch'>): Send {
  return (outgoing) =>
    new Promise((resolve, reject) => {
      const { timeoutMs, signal } = outgoing
      signal?.throwIfAborted()
      const cut = new AbortController()
      const timer = setTimeout(() => {
        release()
        resolve({ ...NO_ANSWER, failure: 'timeout', networkCode: undefined })
        cut.abort()
      }, timeoutMs)
      signal?.addEventListener('abort', onAbort)
      // Whatever comes first counts: a fetch that does not look at its signal is not waited for.
      void exchange(outgoing, cut.signal)
        .catch(networkError)
        .then((outcome) => {
          release()
          resolve(outcome)
        })

      function onAbort(): void {
        release()
        reject(signal?.reason)
        cut.abort()
      }
      function release(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
    })

  /** An attempt ends with its last byte: a slow or broken body fails like any other answer that does not come. */
  async function exchange({ method, url, body }: OutgoingRequest, signal: AbortSignal): Promise<AttemptOutcome> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
    }
    const json = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(new Request(url, { method, headers, body: json, redirect: 'manual', signal }))
    const text = await readText(response, LONGEST_ANSWER_BYTES)
    return { status: response.status, failure: undefined, networkCode: undefined, headers: response.headers, text }
  }
}

const NO_ANSWER = { status: undefined, headers: undefined }

/** What was thrown is reduced to a code: it may hold the request, and a custom `fetch` may have put anything into it. */
function networkError(thrown: unknown): FailedAttempt {
  return { ...NO_ANSWER, failure: 'network_error', networkCode: networkCodeOf(thrown) }
}

const NETWORK_CODE_FORM = /^[A-Z][A-Z0-9_]{1,63}$/
const DEEPEST_CAUSE = 5

function networkCodeOf(thrown: unknown): string | undefined {
  let error = thrown
  for (let depth = 0; depth < DEEPEST_CAUSE && error instanceof Error; depth += 1) {
    if ('code' in error && typeof error.code === 'string' && NETWORK_CODE_FORM.test(error.code)) return error.code
    error = error.cause
  }
  return undefined
}
