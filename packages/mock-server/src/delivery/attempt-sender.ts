import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import type { Timeline } from '../clock/timeline.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { Attempt, AttemptOutcome, AttemptResponse } from './attempt.ts'
import { type UrlPolicyName, urlRefusalOf } from './url-policy.ts'

/** The `fetch` handler of a receiver in this process. */
export type ReceiverFetch = (request: Request) => Response | Promise<Response>

type OutgoingRequest = Pick<Attempt, 'url' | 'headers' | 'body'>

export type SendResult = Pick<Attempt, 'outcome' | 'response'>

/** How much of an answer's body is logged, in bytes. */
const MAX_LOGGED_BYTES = 4096

/** Sends attempts to receivers: to a connected one in this process, otherwise over the network. */
export class AttemptSender {
  readonly #timeline: Timeline
  readonly #urlPolicy: UrlPolicyName
  readonly #connected = new Map<string, ReceiverFetch>()
  readonly #inFlight = new Set<AbortController>()

  constructor(timeline: Timeline, urlPolicy: UrlPolicyName) {
    this.#timeline = timeline
    this.#urlPolicy = urlPolicy
  }

  /** Requests to this URL go to the receiver in this process from now on. */
  connect(url: string, receiver: ReceiverFetch): void {
    this.#connected.set(new URL(url).href, receiver)
  }

  /**
   * Checks the URL of an endpoint.
   *
   * @returns the URL, unchanged
   * @throws {@link MockServerError} `option_invalid` when it is not absolute, contains credentials, or violates the URL policy
   */
  checkUrl(text: string): string {
    const url = URL.parse(text)
    if (url === null)
      throw urlRefused('"url" must be an absolute URL', 'Pass one such as https://receiver.example/hooks.')
    if (url.username !== '' || url.password !== '') {
      throw urlRefused('"url" must not contain a user name or a password', 'Remove them from the URL.')
    }
    const refusal = this.#connected.has(url.href) ? undefined : urlRefusalOf(this.#urlPolicy, url)
    if (refusal !== undefined) throw urlRefused(refusal.problem, refusal.remedy)
    return text
  }

  /** One HTTP request: a 10 s deadline, no redirects (contract §3, §8). Never rejects. */
  async send({ url, headers, body }: OutgoingRequest): Promise<SendResult> {
    const abort = new AbortController()
    const deadline = this.#timeline.schedule(RECEIVER_DEADLINE_MS, () => abort.abort('deadline'))
    this.#inFlight.add(abort)
    try {
      const { signal } = abort
      const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal })
      const response = await Promise.race([this.#answer(request), aborted(signal)])
      const { status } = response
      return { outcome: { kind: 'answered', status }, response: await readBeginning(response, signal) }
    } catch (error) {
      return { outcome: failureOf(error, abort.signal, this.#connected.has(url)), response: undefined }
    } finally {
      deadline.cancel()
      this.#inFlight.delete(abort)
    }
  }

  close(): void {
    for (const abort of this.#inFlight) abort.abort('closed')
  }

  async #answer(request: Request): Promise<Response> {
    const receiver = this.#connected.get(request.url)
    // The global `fetch` is read at each attempt, so that one that is installed later (instrumentation, MSW) is used.
    return receiver === undefined ? await globalThis.fetch(request) : await receiver(request)
  }
}

function urlRefused(problem: string, remedy: string): MockServerError {
  return new MockServerError('option_invalid', problem, remedy, 'url')
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function failureOf(error: unknown, signal: AbortSignal, isThrown: boolean): AttemptOutcome {
  if (signal.reason === 'deadline') return { kind: 'timed_out' }
  if (signal.aborted) return { kind: 'connection_failed', reason: 'service_closed' }
  const message = isThrown && error instanceof Error ? { message: error.message } : {}
  return { kind: 'connection_failed', reason: reasonOf(error), ...message }
}

/** A code or a name. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  for (const cause of [error.cause, error]) {
    if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  }
  return error.name
}

/** The headers of an answer, and the part of its body that arrives before the signal. Never rejects. */
async function readBeginning(response: Response, signal: AbortSignal): Promise<AttemptResponse> {
  const headers = Object.fromEntries(response.headers)
  if (response.body === null || response.bodyUsed) return { headers, body: '', truncated: false }
  const reader = response.body.getReader()
  // This frees the connection, and ends a pending read.
  const cancel = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  const chunks: BlobPart[] = []
  let bytes = 0
  let isWhole = false
  try {
    while (bytes <= MAX_LOGGED_BYTES && !isWhole) {
      const { done, value } = await reader.read()
      isWhole = done && !signal.aborted
      if (done) break
      chunks.push(value as Uint8Array<ArrayBuffer>)
      bytes += value.length
    }
  } catch {
    // The connection broke. The log shows a truncated answer.
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
  const body = await new Blob(chunks).slice(0, MAX_LOGGED_BYTES).text()
  return { headers, body, truncated: !isWhole || bytes > MAX_LOGGED_BYTES }
}
