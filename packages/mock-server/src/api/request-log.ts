import type { Timeline } from '../clock/timeline.ts'

/** One request to the API. The service's clock gives the times. */
export interface ReceivedRequest {
  /** The `x-request-id` of the answer. */
  readonly request_id: string
  /** When it arrived, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** The identifier of its API key; `undefined` without a valid key. */
  readonly key_id: string | undefined
  /** The body as text; `''` without a body. */
  readonly body: string
  /** The status of the answer; `undefined` while there is none, or if the connection was dropped. */
  readonly status: number | undefined
  /** The time from its arrival to the answer, in milliseconds. */
  readonly duration_ms: number
}

/** Logs every request, in order of arrival. */
export class RequestLog {
  readonly requests: ReceivedRequest[] = []
  readonly #timeline: Timeline

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** @returns a function that logs the answer */
  arrived(
    request: Pick<ReceivedRequest, 'request_id' | 'method' | 'path' | 'query'>,
  ): (answer: Pick<ReceivedRequest, 'key_id' | 'body' | 'status'>) => void {
    const at = this.#timeline.now()
    const arrival = { ...request, at, key_id: undefined, body: '', status: undefined, duration_ms: 0 }
    const index = this.requests.push(arrival) - 1
    return (answer) => {
      this.requests[index] = { ...arrival, ...answer, duration_ms: this.#timeline.now() - at }
    }
  }
}
