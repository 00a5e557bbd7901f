import type { Operation } from './operation.ts'
import { serverToken } from './server-token.ts'

/** What the service said to one call, after the retries. */
export interface Answer {
  readonly operation: Operation
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** How many requests it took. */
  readonly attempts: number
}

/** The service's name for the request, when it gave one (open point 22). */
export function requestIdOf(answer: Answer): string | undefined {
  return serverToken(answer.headers.get('x-request-id'))
}
