import type { ApiErrorBody } from '@notewire/protocol'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** The answer to a request that the API refuses (open point 22). */
export class Problem extends Error {
  readonly status: ContentfulStatusCode
  readonly body: ApiErrorBody
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: ContentfulStatusCode,
    error: ApiErrorBody['error'],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(error.message)
    this.status = status
    this.body = { error }
    this.headers = headers
  }
}

export function unauthorized(): Problem {
  return new Problem(401, {
    code: 'unauthorized',
    message: 'The API key is missing, unknown or revoked. Send "Authorization: Bearer <API key>" with a valid key.',
  })
}

export function insufficientScope(scope: string): Problem {
  const message = `The API key lacks the scope "${scope}". Use a key that has this scope.`
  return new Problem(403, { code: 'insufficient_scope', message, scope })
}

export function notFound(what: string): Problem {
  return new Problem(404, { code: 'not_found', message: `There is no such ${what}, or the API key cannot access it.` })
}

/** The operation does not exist (open points 8 and 14). */
export function unknownOperation(): Problem {
  return new Problem(404, { code: 'unknown_operation', message: 'This service does not support this operation.' })
}

/** The content does not exist yet (open points 9 and 10). */
export function notReady(content: 'transcript' | 'summary', status: 404 | 409 | 202): Problem {
  const event = { transcript: 'note.ended', summary: 'note.summary.generated' }[content]
  const message = `The ${content} is not ready yet. Read it again after the event ${event}, or when ${content}_status is "ready".`
  return new Problem(status, { code: 'not_ready', message })
}

/** A replay to an inactive endpoint (open point 17). */
export function endpointNotActive(): Problem {
  const message = 'The webhook endpoint is not active, so no events are sent to it. Set its status to "active" first.'
  return new Problem(409, { code: 'endpoint_not_active', message })
}

/** The answer of a fault rule. */
export function faulty(status: ContentfulStatusCode, retryAfter: number | string | undefined): Problem {
  const code = status === 429 ? 'rate_limited' : 'injected_fault'
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return new Problem(
    status,
    { code, message: 'A fault rule of this service caused this response. Try again.' },
    headers,
  )
}

/** A query parameter has a wrong value. */
export function invalidParameter(name: string, rule: string): Problem {
  return new Problem(400, { code: 'invalid_parameter', message: `The parameter "${name}" ${rule}.` })
}

export function invalidCursor(): Problem {
  const message =
    'The API did not issue this cursor to this API key. Send next_cursor unchanged, or start without a cursor.'
  return new Problem(400, { code: 'invalid_cursor', message })
}

export function invalidJson(): Problem {
  return new Problem(400, { code: 'invalid_json', message: 'The request body is not JSON. Send a JSON object.' })
}

/** The body is JSON, but a field is wrong. */
export function invalidBody(message: string): Problem {
  return new Problem(422, { code: 'invalid_body', message })
}

export function bodyTooLarge(maxBytes: number): Problem {
  return new Problem(413, { code: 'body_too_large', message: `The request body is larger than ${maxBytes} bytes.` })
}
