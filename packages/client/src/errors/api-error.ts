import type { CallAttempt } from './call-attempt.ts'
import type { ApiErrorCode } from './client-error-code.ts'
import { NotesClientError } from './notes-client-error.ts'

/** The service answered, but not with what was asked for (open point 22). */
export class ApiError extends NotesClientError {
  /** The HTTP status; 0 for a redirect in a browser, which does not show it. */
  readonly status: number
  /** The service's name for this request (header `x-request-id`): quote it when you report a problem. */
  readonly requestId: string | undefined
  /** The service's own `error.code`, when its answer holds one. Its message is left out: it may quote anything. */
  readonly serverCode: string | undefined

  constructor(code: ApiErrorCode, message: string, facts: ApiErrorFacts) {
    super(code, facts.operation, message, facts.attempts)
    this.status = facts.status
    this.requestId = facts.requestId
    this.serverCode = facts.serverCode
  }
}

/** What is known of an answer that became an {@link ApiError}. */
export interface ApiErrorFacts {
  readonly operation: string
  readonly status: number
  readonly requestId: string | undefined
  readonly serverCode: string | undefined
  readonly attempts: readonly CallAttempt[]
}
