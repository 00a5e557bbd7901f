import { ApiError, type ApiErrorFacts } from './api-error.ts'

/** Too many requests, also after the retries: code `rate_limited` (open point 22). */
export class RateLimitedError extends ApiError {
  /** How long the service asks to wait, in milliseconds, when it says so (`Retry-After`). */
  readonly retryAfterMs: number | undefined

  constructor(message: string, facts: ApiErrorFacts, retryAfterMs: number | undefined) {
    super('rate_limited', message, facts)
    this.retryAfterMs = retryAfterMs
  }
}
