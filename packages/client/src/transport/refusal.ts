import { ApiError } from '../errors/api-error.ts'
import type { ApiErrorCode } from '../errors/client-error-code.ts'
import { ForbiddenError } from '../errors/forbidden-error.ts'
import { RateLimitedError } from '../errors/rate-limited-error.ts'
import type { Answer } from './answer.ts'
import { requestIdOf } from './attempt-outcome.ts'
import { nameOf, type Verdict } from './operation.ts'
import { retryAfterOf } from './retry-after.ts'
import { serverToken } from './server-token.ts'

/** The error that an answer means, or `undefined` when it is what was asked for. */
export function refusalOf(answer: Answer): ApiError | undefined {
  const { operation, status, attempts } = answer
  const serverCode = errorField(answer, 'code')
  const verdict = operation.judge?.({ status, serverCode, attempts: attempts.length }) ?? verdictOf(status)
  if (verdict === 'done') return undefined

  const facts = { operation: nameOf(operation), status, requestId: requestIdOf(answer.headers), serverCode, attempts }
  const told = serverCode === undefined ? `${status}` : `${status} (${serverCode})`
  const message = (explanation: string) => `${facts.operation} answered ${told}: ${explanation}`

  if (verdict === 'forbidden') {
    const scope = errorField(answer, 'scope')
    return new ForbiddenError(message(explainForbidden(scope, operation.scope)), facts, scope)
  }
  if (verdict === 'rate_limited') {
    const retryAfterMs = retryAfterOf(answer.headers)
    return new RateLimitedError(message(explainRateLimited(retryAfterMs)), facts, retryAfterMs)
  }
  return new ApiError(verdict, message(EXPLANATIONS[verdict]), facts)
}

function verdictOf(status: number): Verdict {
  if (status >= 200 && status < 300) return 'done'
  switch (status) {
    case 400:
    case 422:
      return 'invalid_request'
    case 401:
      return 'unauthorized'
    case 403:
      return 'forbidden'
    case 404:
      return 'not_found'
    case 405:
    case 501:
      return 'not_supported'
    case 429:
      return 'rate_limited'
    // A browser hides a redirect that is not followed behind the status 0.
    case 0:
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return 'redirect_refused'
    default:
      return status >= 500 ? 'server_error' : 'unexpected_status'
  }
}

/** What the service says of its error (open point 22). Its `message` is left alone. */
function errorField(answer: Answer, field: 'code' | 'scope'): string | undefined {
  // A success says nothing of errors, and may be long.
  if (answer.status < 400 || answer.text === undefined) return undefined
  try {
    return serverToken(JSON.parse(answer.text)?.error?.[field])
  } catch {
    return undefined
  }
}

function explainForbidden(missing: string | undefined, needed: string): string {
  return missing === undefined
    ? `the API key may not do this, which needs the scope "${needed}". Create a key with that scope in the account console.`
    : `the API key lacks the scope "${missing}". Create a key that has it in the account console.`
}

function explainRateLimited(retryAfterMs: number | undefined): string {
  const pause = retryAfterMs === undefined ? 'a while' : `${Math.ceil(retryAfterMs / 1000)} s`
  return `too many requests. Wait ${pause} before the next call, and make fewer at once.`
}

const EXPLANATIONS: Readonly<Record<Exclude<ApiErrorCode, 'forbidden' | 'rate_limited'>, string>> = {
  unauthorized:
    'the service does not accept the API key. Check that apiKey is complete, not revoked, and made for the service at baseUrl.',
  not_found:
    'nothing is there that this key can see. Check the id, and that the key belongs to the integration that sees it; if every call ends so, check baseUrl.',
  not_supported:
    'this service does not offer the operation, or the id names nothing. Check the id; if it is right, use the account console instead.',
  not_ready:
    'it is not ready yet. Wait for note.ended (a transcript) or note.summary.generated (a summary), or ask again later.',
  invalid_request: 'the service finds the request invalid. Correct the arguments of the call.',
  cursor_expired:
    'the service does not accept the cursor any more. Start the listing again, without a cursor; changes does so itself, once in a loop.',
  redirect_refused:
    'redirects are not followed, because the API key goes to baseUrl alone. Set baseUrl to the address that answers directly.',
  server_error: 'the service failed. Call again later; if it lasts, report it to the service with the request id.',
  unexpected_status:
    'a status that the contract does not know here. Check that baseUrl is the notes service and not a proxy before it.',
}
