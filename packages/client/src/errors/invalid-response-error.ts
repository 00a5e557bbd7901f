import { type CallAttempt, NotesClientError } from './notes-client-error.ts'

/** The service answered with success, but the body is not what the contract says: code `invalid_response`. */
export class InvalidResponseError extends NotesClientError {
  /** Where the first problem is: `notes[3].revision`. Empty when it is the whole body. */
  readonly path: string
  /** The HTTP status of the answer. */
  readonly status: number
  /** The service's name for this request (header `x-request-id`): quote it when you report a problem. */
  readonly requestId: string | undefined

  constructor(message: string, facts: InvalidResponseFacts) {
    super('invalid_response', facts.operation, message, facts.attempts)
    this.path = facts.path
    this.status = facts.status
    this.requestId = facts.requestId
  }
}

/** What is known of an answer that could not be read. */
export interface InvalidResponseFacts {
  readonly operation: string
  readonly path: string
  readonly status: number
  readonly requestId: string | undefined
  readonly attempts: readonly CallAttempt[]
}
