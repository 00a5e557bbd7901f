import type { ProbeSettings } from './probe-options.ts'

/** An answer of the service, as it came. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** What the text says as JSON; `undefined` for what is none. */
  readonly json: unknown
  /** When it was asked for, in the middle of asking, in milliseconds since the Unix epoch. */
  readonly askedAt: number
}

/** A request of the probe. */
export interface WireRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Behind the base URL, percent-encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  /** Leaves the key out. */
  readonly anonymous?: boolean
  /** Is sent and waited for even when the probe has been ended and the budget is spent: it cleans up. */
  readonly isCleaning?: boolean
  /** Once sent, is waited for even when the probe is ended: what it creates must be known to be cleaned up. */
  readonly creates?: boolean
}

/** The longest wait for one answer, and for a rate limit, in milliseconds. */
const LONGEST_ANSWER_MS = 10_000
const LONGEST_PAUSE_MS = 30_000
const MOST_REFUSALS = 3
/** More than any page of notes has. */
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024

/** Asks the service, one request after another, and no more than was allowed. */
export class Wire {
  readonly #settings: ProbeSettings
  #sent = 0
  #refusals = 0

  constructor(settings: ProbeSettings) {
    this.#settings = settings
  }

  /** How many requests were sent. */
  get sent(): number {
    return this.#sent
  }

  /**
   * Sends a request. Waits where the service says that there were too many.
   *
   * @returns `undefined` when there is no answer, and when the budget is spent
   * @throws the signal's reason, and what `fetch` throws at the first request: then the service cannot be reached
   */
  async ask(request: WireRequest): Promise<WireAnswer | undefined> {
    const { clock, pauseMs, mostRequests, onRequest } = this.#settings
    const signal = request.isCleaning ? undefined : this.#settings.signal
    signal?.throwIfAborted()
    if (!request.isCleaning && (this.#sent >= mostRequests || this.#refusals >= MOST_REFUSALS)) return undefined
    if (this.#sent > 0 && pauseMs > 0) await clock.sleep(pauseMs, signal)
    this.#sent += 1
    const answer = await this.#answerTo(request)
    onRequest(this.#sent, mostRequests)
    if (answer?.status !== 429) return answer
    this.#refusals += 1
    const waitMs = Number(answer.headers.get('retry-after') ?? '1') * 1000
    if (!(waitMs <= LONGEST_PAUSE_MS) || (request.isCleaning && this.#refusals > MOST_REFUSALS)) return undefined
    await clock.sleep(waitMs, signal)
    return await this.ask(request)
  }

  async #answerTo(request: WireRequest): Promise<WireAnswer | undefined> {
    const { fetch, clock, signal } = this.#settings
    const outlasts = request.isCleaning || request.creates
    const signals = [AbortSignal.timeout(LONGEST_ANSWER_MS), ...(outlasts ? [] : [signal])]
    try {
      const started = clock.now()
      const response = await fetch(this.#requestOf(request, AbortSignal.any(signals)))
      const askedAt = (started + clock.now()) / 2
      const text = await readText(response)
      return { status: response.status, headers: response.headers, text, json: jsonOf(text), askedAt }
    } catch (error) {
      if (!outlasts) signal.throwIfAborted()
      if (this.#sent === 1) throw error
      return undefined
    }
  }

  #requestOf({ method = 'GET', path, query = {}, body, anonymous = false }: WireRequest, signal: AbortSignal): Request {
    const search = new URLSearchParams(query).toString()
    const headers = {
      accept: 'application/json',
      ...(anonymous ? {} : { authorization: `Bearer ${this.#settings.apiKey}` }),
      ...(body && { 'content-type': 'application/json' }),
    }
    const url = `${this.#settings.baseUrl}${path}${search === '' ? '' : `?${search}`}`
    const sent = body === undefined ? null : JSON.stringify(body)
    return new Request(url, { method, headers, body: sent, redirect: 'manual', signal })
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The types of the web have no iteration of streams, and all runtimes of this program do.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > LARGEST_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
