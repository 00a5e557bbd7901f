import { serverToken } from './server-token.ts'

/** How one request ended: with a complete answer, or without one. */
export type AttemptOutcome = AnsweredAttempt | FailedAttempt

/** A request that got an answer, whatever it says. */
export interface AnsweredAttempt {
  readonly status: number
  readonly failure: undefined
  readonly networkCode: undefined
  readonly headers: Headers
  /** The body; `undefined` when it is longer than an answer may be. */
  readonly text: string | undefined
}

/** A request without an answer, or with half of one. */
export interface FailedAttempt {
  readonly status: undefined
  readonly failure: 'timeout' | 'network_error'
  readonly networkCode: string | undefined
  readonly headers: undefined
}

/** The service's name for the request, when it gave one (open point 22). */
export function requestIdOf(headers: Headers): string | undefined {
  return serverToken(headers.get('x-request-id'))
}
