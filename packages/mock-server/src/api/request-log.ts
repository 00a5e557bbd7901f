/** How many of the last requests the console shows, and how many answers are kept. */
export const MAX_SHOWN_REQUESTS = 1000
const MAX_KEPT_CHARACTERS = 4096

/** One request to the API. The times come from the service's clock. */
export interface ReceivedRequest {
  /** The `x-request-id` of the answer. */
  readonly request_id: string
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** `missing` without `Authorization: Bearer`; `rejected` for an API key that is unknown or revoked. */
  readonly authentication: 'accepted' | 'missing' | 'rejected'
  /** The identifier of its API key; `undefined` without a valid key. */
  readonly key_id: string | undefined
  /** The body as text; `''` without a body. */
  readonly body: string
  /** The status of the answer; `undefined` before the answer, or if the connection was dropped. */
  readonly status: number | undefined
  /** The time from its arrival to the answer, in milliseconds. */
  readonly duration_ms: number
}

/** The beginning of the answer to a request. */
export interface KeptAnswer {
  readonly content_type: string | undefined
  /** The length of the whole body, in UTF-16 code units. */
  readonly length: number
  /** Up to 4,096 UTF-16 code units. */
  readonly body: string
}

/** Every request to the API, in order of arrival, and the last answers. */
export class RequestLog {
  readonly requests: ReceivedRequest[] = []
  /** The answers to the last requests; `undefined` until a console can show them. */
  #answers: Map<string, KeptAnswer> | undefined

  /** Keeps answers from now on. A service that does not listen need not read them. */
  keepAnswers(): void {
    this.#answers ??= new Map()
  }

  async keepAnswer(request_id: string, response: Response): Promise<void> {
    if (this.#answers === undefined) return
    const text = await response.clone().text()
    const content_type = response.headers.get('content-type') ?? undefined
    this.#answers.set(request_id, { content_type, length: text.length, body: text.slice(0, MAX_KEPT_CHARACTERS) })
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > MAX_SHOWN_REQUESTS && oldest !== undefined) this.#answers.delete(oldest)
  }

  answerTo(request_id: string): KeptAnswer | undefined {
    return this.#answers?.get(request_id)
  }
}
