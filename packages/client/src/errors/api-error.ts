import type { OpenEnum, Scope } from '@notewire/protocol'
import { type ApiErrorCode, type CallAttempt, NotesClientError } from './notes-client-error.ts'

/** The service refused a call, or failed (open point 22). */
export class ApiError extends NotesClientError {
  /** The HTTP status; 0 for a redirect in a browser, which does not show it. */
  readonly status: number
  /** The service's name for this request (header `x-request-id`): quote it when you report a problem. */
  readonly requestId: string | undefined
  /** The `error.code` of the answer, if there is one. */
  readonly serverCode: string | undefined
  /**
   * The `error.message` of an answer with an `error.code`: what the service says about the request, in one line of at most 200 characters,
   * without keys and secrets. It is also part of `message`. Not kept for `not_found`, `not_ready`, `content_not_found` and `server_error`,
   * where it could quote a note.
   */
  readonly serverMessage: string | undefined

  constructor(code: ApiErrorCode, message: string, facts: ApiErrorFacts) {
    super(code, facts.operation, message, facts.attempts)
    this.status = facts.status
    this.requestId = facts.requestId
    this.serverCode = facts.serverCode
    this.serverMessage = facts.serverMessage
  }
}

/** The facts of the response that an {@link ApiError} reports. */
export interface ApiErrorFacts {
  readonly operation: string
  readonly status: number
  readonly requestId: string | undefined
  readonly serverCode: string | undefined
  readonly serverMessage?: string | undefined
  readonly attempts: readonly CallAttempt[]
}

/**
 * The key can access no note or endpoint of this id: code `not_found` (open points 8 and 22). A missing transcript or summary is another
 * error.
 *
 * `status` is 404, or 200 if the service does not offer to read one note and its list does not contain the note.
 *
 * @example
 * ```ts
 * import { NotesClient, NotFoundError } from '@notewire/client'
 *
 * const client = new NotesClient()
 *
 * try {
 *   console.log((await client.notes.get('note_1')).title)
 * } catch (error) {
 *   if (!(error instanceof NotFoundError)) throw error
 *   console.log('there is no such note')
 * }
 * ```
 */
export class NotFoundError extends ApiError {
  constructor(message: string, facts: ApiErrorFacts) {
    super('not_found', message, facts)
  }
}

/** The API key lacks a permission: code `forbidden` (contract §5; open point 22). */
export class ForbiddenError extends ApiError {
  /** The missing scope, if the service names it. */
  readonly scope: OpenEnum<Scope> | undefined

  constructor(message: string, facts: ApiErrorFacts, scope: OpenEnum<Scope> | undefined) {
    super('forbidden', message, facts)
    this.scope = scope
  }
}

/** Too many requests, also after the retries: code `rate_limited` (open point 22). */
export class RateLimitedError extends ApiError {
  /**
   * How long the service asks to wait, in milliseconds, a day at most: `Retry-After`, or the time until the rate limit is reset
   * (`RateLimit-Reset`, `X-RateLimit-Reset`). `undefined` if it does not say.
   */
  readonly retryAfterMs: number | undefined

  constructor(message: string, facts: ApiErrorFacts, retryAfterMs: number | undefined) {
    super('rate_limited', message, facts)
    this.retryAfterMs = retryAfterMs
  }
}
