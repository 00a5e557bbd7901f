import type { ApiErrorBody } from '@notewire/protocol'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The answer to a request that the API refuses (open point 22). */
export class Problem extends Error {
  readonly status: ContentfulStatusCode
  readonly error: ApiErrorBody['error']
  readonly headers: Readonly<Record<string, string>>

  constructor(status: ContentfulStatusCode, error: ApiErrorBody['error'], headers: Record<string, string> = {}) {
    super(error.message)
    this.status = status
    this.error = error
    this.headers = headers
  }
}

export function notFound(what: string): Problem {
  return new Problem(404, { code: 'not_found', message: `There is no such ${what}, or the API key cannot access it.` })
}
