import { BoundedLog } from '../delivery/bounded-log.ts'

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
  /** The beginning of the answer; `undefined` if there was none, or if the service did not listen on a port. */
  readonly answer: KeptAnswer | undefined
}

/** The beginning of the answer to a request. */
export interface KeptAnswer {
  readonly content_type: string | undefined
  /** The length of the whole body, in UTF-16 code units. */
  readonly length: number
  /** Up to 4,096 UTF-16 code units. */
  readonly body: string
}

/** The last requests to the API, in order of arrival. */
export class RequestLog extends BoundedLog<ReceivedRequest> {
  /** Whether answers are kept. A service that does not listen need not read them. */
  keepsAnswers = false

  async answerIn(response: Response): Promise<KeptAnswer | undefined> {
    if (!this.keepsAnswers) return undefined
    const text = await response.clone().text()
    const content_type = response.headers.get('content-type') ?? undefined
    return { content_type, length: text.length, body: text.slice(0, MAX_KEPT_CHARACTERS) }
  }
}
