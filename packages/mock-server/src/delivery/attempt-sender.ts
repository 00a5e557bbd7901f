import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import type { Timeline } from '../clock/timeline.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { URL } from '../runtime/web-classes.ts'
import type { Attempt, AttemptOutcome } from './attempt.ts'
import { postOverHttp } from './post-over-http.ts'
import { answerOf, type ReceiverAnswer, readBeginning } from './receiver-answer.ts'
import { type UrlPolicyName, urlRefusalOf } from './url-policy.ts'

/** The `fetch` handler of a receiver in this process. */
export type ReceiverFetch = (request: Request) => Response | Promise<Response>

type OutgoingRequest = Pick<Attempt, 'url' | 'headers' | 'body'>

export type SendResult = Pick<Attempt, 'outcome' | 'response'>

/** Why an attempt ends without an answer. */
const [DEADLINE, CLOSED] = [Symbol('deadline'), Symbol('closed')]

/** Sends attempts to receivers: to a connected one in this process, otherwise over the network. */
export class AttemptSender {
  readonly #timeline: Timeline
  readonly #urlPolicy: UrlPolicyName
  readonly #connected = new Map<string, ReceiverFetch>()
  readonly #inFlight = new Set<(reason: symbol) => void>()

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
  async send(request: OutgoingRequest): Promise<SendResult> {
    const { promise: ended, reject: end } = Promise.withResolvers<never>()
    ended.catch(() => undefined)
    const deadline = this.#timeline.schedule(RECEIVER_DEADLINE_MS, () => end(DEADLINE))
    this.#inFlight.add(end)
    try {
      const answer = await Promise.race([this.#answer(request, ended), ended])
      const { status } = answer
      return { outcome: { kind: 'answered', status }, response: await readBeginning(answer, ended) }
    } catch (error) {
      return { outcome: failureOf(error, this.#receiverAt(request.url) !== undefined), response: undefined }
    } finally {
      deadline.cancel()
      this.#inFlight.delete(end)
    }
  }

  close(): void {
    for (const end of this.#inFlight) end(CLOSED)
  }

  #receiverAt(url: string): ReceiverFetch | undefined {
    return this.#connected.get(URL.parse(url)?.href ?? url)
  }

  async #answer(outgoing: OutgoingRequest, ended: Promise<never>): Promise<ReceiverAnswer> {
    const { url, headers, body } = outgoing
    const receiver = this.#receiverAt(url)
    const post = receiver === undefined ? postOverHttp() : undefined
    if (post !== undefined) return await post(outgoing, ended)
    const abort = new AbortController()
    ended.catch((reason: symbol) => abort.abort(reason.description))
    const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal: abort.signal })
    return answerOf(await (receiver ?? globalThis.fetch)(request))
  }
}

function urlRefused(problem: string, remedy: string): MockServerError {
  return new MockServerError('option_invalid', problem, remedy, 'url')
}

function failureOf(error: unknown, isThrown: boolean): AttemptOutcome {
  if (error === DEADLINE) return { kind: 'timed_out' }
  if (error === CLOSED) return { kind: 'connection_failed', reason: 'service_closed' }
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
