import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import type { UrlPolicy } from '../addresses/url-policy.ts'
import type { Timeline } from '../clock/timeline.ts'
import type { AttemptOutcome, AttemptResponse } from './attempt.ts'
import { beginningOf } from './response-beginning.ts'

/** What answers a delivery in process: a receiver's `fetch`. */
export type ReceiverFetch = (request: Request) => Response | Promise<Response>

/** What an attempt carries. */
interface Parcel {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came of it. */
interface Return {
  readonly outcome: AttemptOutcome
  readonly response: AttemptResponse | undefined
}

/** Carries attempts to their receivers: in process where one is connected, over the network otherwise. */
export class Courier {
  readonly #timeline: Timeline
  readonly #urlPolicy: UrlPolicy
  readonly #connected = new Map<string, ReceiverFetch>()
  readonly #underWay = new Set<AbortController>()

  constructor(timeline: Timeline, urlPolicy: UrlPolicy) {
    this.#timeline = timeline
    this.#urlPolicy = urlPolicy
  }

  /** What is sent to this URL from now on reaches the receiver in process. */
  connect(url: string, receiver: ReceiverFetch): void {
    this.#connected.set(new URL(url).href, receiver)
  }

  /** Why nothing can be sent to a URL, in words, or nothing. */
  async refusalOf(url: URL): Promise<string | undefined> {
    return this.#connected.has(url.href) ? undefined : await this.#urlPolicy.refusalOf(url)
  }

  /** One HTTP request: a 10 s deadline, no redirects (contract §3, §8). Never rejects. */
  async carry({ url, headers, body }: Parcel): Promise<Return> {
    const abort = new AbortController()
    const deadline = this.#timeline.schedule(RECEIVER_DEADLINE_MS, () => abort.abort('deadline'))
    this.#underWay.add(abort)
    try {
      const { signal } = abort
      const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal })
      const response = await Promise.race([this.#receive(request), aborted(signal)])
      const { status } = response
      return { outcome: { kind: 'answered', status }, response: await beginningOf(response, signal) }
    } catch (error) {
      return { outcome: failureOf(error, abort.signal), response: undefined }
    } finally {
      deadline.cancel()
      this.#underWay.delete(abort)
    }
  }

  /** Breaks off whatever is under way. */
  close(): void {
    for (const abort of this.#underWay) abort.abort('closed')
  }

  async #receive(request: Request): Promise<Response> {
    const receiver = this.#connected.get(request.url)
    return receiver === undefined ? await this.#urlPolicy.send(request) : await receiver(request)
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function failureOf(error: unknown, signal: AbortSignal): AttemptOutcome {
  if (signal.reason === 'deadline') return { kind: 'timed_out' }
  return { kind: 'connection_failed', reason: signal.aborted ? 'service_closed' : reasonOf(error) }
}

/** A code or a name, and never a message: a receiver's errors may quote a note. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  for (const cause of [error.cause, error]) {
    if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code
  }
  return error.name
}
