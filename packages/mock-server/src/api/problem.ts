import type { ApiErrorBody, Scope } from '@notewire/protocol'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** A request that the API refuses, with what it answers (open point 22). */
export class Problem extends Error {
  readonly status: ContentfulStatusCode
  readonly body: ApiErrorBody

  constructor(status: ContentfulStatusCode, error: ApiErrorBody['error']) {
    super(error.message)
    this.status = status
    this.body = { error }
  }
}

export function unauthorized(): Problem {
  return new Problem(401, {
    code: 'unauthorized',
    message:
      'The API key is missing, unknown or revoked. Send "Authorization: Bearer <API key>" with a key that is in force.',
  })
}

export function insufficientScope(scope: Scope): Problem {
  const message = `The API key lacks the scope "${scope}". Use one that was issued with it.`
  return new Problem(403, { code: 'insufficient_scope', message, scope })
}

export function notFound(what: string): Problem {
  return new Problem(404, { code: 'not_found', message: `There is no such ${what}, or the API key does not see it.` })
}

export function notReady(): Problem {
  const message = 'The transcript is not ready yet. It is when note.ended arrives, or transcript_status is "ready".'
  return new Problem(404, { code: 'not_ready', message })
}

/** A query parameter that cannot be read. */
export function invalidParameter(name: string, rule: string): Problem {
  return new Problem(400, { code: 'invalid_parameter', message: `The parameter "${name}" ${rule}.` })
}

export function invalidCursor(): Problem {
  const message =
    'The cursor is not one that this API gave to this key. Send next_cursor as it came, or start without one.'
  return new Problem(400, { code: 'invalid_cursor', message })
}

export function invalidJson(): Problem {
  return new Problem(400, { code: 'invalid_json', message: 'The request body is not JSON. Send a JSON object.' })
}

/** A body that is JSON, and not what the operation takes. */
export function invalidBody(message: string): Problem {
  return new Problem(422, { code: 'invalid_body', message })
}

export function bodyTooLarge(maxBytes: number): Problem {
  return new Problem(413, { code: 'body_too_large', message: `The request body is larger than ${maxBytes} bytes.` })
}
