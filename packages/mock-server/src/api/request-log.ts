import type { Timeline } from '../clock/timeline.ts'

/** One request that the API got, in the log of its service. Times are the service's clock's. */
export interface ReceivedRequest {
  /** What the answer's `x-request-id` says. */
  readonly request_id: string
  /** When it came, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** The part of its API key that may be shown; `undefined` when no key in force was sent. */
  readonly key_id: string | undefined
  /** What was sent, as text; `''` without a body. */
  readonly body: string
  /** The status of the answer; `undefined` while there is none, and when the connection was dropped. */
  readonly status: number | undefined
  /** From its arrival to the answer, in milliseconds. */
  readonly duration_ms: number
}

/** Writes down every request, in order of arrival. */
export class RequestLog {
  readonly requests: ReceivedRequest[] = []
  readonly #timeline: Timeline

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** @returns a function that writes down what came of it */
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
