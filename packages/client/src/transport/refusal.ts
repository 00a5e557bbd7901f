import { shortWord } from '@notewire/protocol'
import { ApiError, ForbiddenError, NotFoundError, RateLimitedError } from '../errors/api-error.ts'
import type { ApiErrorCode } from '../errors/notes-client-error.ts'
import type { Answer } from './call.ts'
import { GATEWAY_STATUSES } from './failure-statuses.ts'
import { nameOf, type Verdict } from './operation.ts'
import { requestedDelayOf } from './requested-delay.ts'
import { requestIdOf } from './response-parts.ts'

/**
 * The error for an answer, or `undefined` if the operation is done.
 *
 * @param apiKey  is removed from what the service says
 */
export function refusalOf(answer: Answer, apiKey: string): ApiError | undefined {
  const { operation, status, attempts } = answer
  const serverError = serverErrorIn(answer)
  const serverCode = shortWord(serverError['code'])
  const verdict = operation.judge?.({ status, serverCode, attempts: attempts.length }) ?? verdictOf(status)
  if (verdict === 'done') return undefined

  const requestId = requestIdOf(answer.headers)
  // An answer without a code is not the service's: a proxy's text could be anything.
  const isQuoted = serverCode !== undefined && ABOUT_THE_REQUEST.has(verdict)
  const serverMessage = isQuoted ? serverSentence(serverError['message'], apiKey) : undefined
  const facts = { operation: nameOf(operation), status, requestId, serverCode, serverMessage, attempts }
  const statusText = serverCode === undefined ? `${status}` : `${status} (${serverCode})`
  const said = serverMessage === undefined ? '' : ` The service says: ${asSentence(serverMessage)}`
  const message = (explanation: string) => `${facts.operation} answered ${statusText}: ${explanation}${said}`

  if (verdict === 'forbidden') {
    const scope = shortWord(serverError['scope'])
    return new ForbiddenError(message(explainForbidden(scope, operation.scope)), facts, scope)
  }
  if (verdict === 'rate_limited') {
    const retryAfterMs = requestedDelayOf(answer)
    return new RateLimitedError(message(explainRateLimited(retryAfterMs)), facts, retryAfterMs)
  }
  const explained = message(GATEWAY_STATUSES.includes(status) ? GATEWAY_FAILED : EXPLANATIONS[verdict])
  // Only a path with an id is about one note or endpoint. Missing content has another verdict.
  if (verdict === 'not_found' && operation.path.includes('{')) return new NotFoundError(explained, facts)
  return new ApiError(verdict, explained, facts)
}

/** What the service says about other failures could quote a note. */
const ABOUT_THE_REQUEST: ReadonlySet<Verdict> = new Set([
  'invalid_request',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'unexpected_status',
])

const VERDICTS: Readonly<Record<number, Verdict>> = {
  // A browser shows the status 0 for a redirect that is not followed.
  0: 'redirect_refused',
  301: 'redirect_refused',
  302: 'redirect_refused',
  303: 'redirect_refused',
  307: 'redirect_refused',
  308: 'redirect_refused',
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_supported',
  422: 'invalid_request',
  425: 'server_error',
  429: 'rate_limited',
  501: 'not_supported',
}

function verdictOf(status: number): Verdict {
  if (status >= 200 && status < 300) return 'done'
  return VERDICTS[status] ?? (status >= 500 ? 'server_error' : 'unexpected_status')
}

/** The service's error (open point 22); empty if there is none. */
function serverErrorIn({ status, body }: Answer): Readonly<Record<string, unknown>> {
  // A successful answer has no error, and may be long.
  if (status < 400) return {}
  const json = body?.json
  const error = typeof json === 'object' && json !== null && 'error' in json ? json.error : undefined
  return typeof error === 'object' && error !== null ? { ...error } : {}
}

/** A longer sentence is cut. */
const LONGEST = 200

/** What looks like a key or a secret (contract §2 and §6). */
const SECRETS = /\b(?:ntw_|whsec_|whsk_)[^\s"'`,;)]+|\bBearer\s+[^\s"'`,;)]+/gi

/**
 * Makes the service's own explanation of an error fit to be shown: one line of at most 200 characters, without keys and secrets.
 *
 * @param apiKey  the key of the client, which may have any form
 * @returns `undefined` if it is no text, or empty
 */
export function serverSentence(value: unknown, apiKey: string): string | undefined {
  if (typeof value !== 'string') return undefined
  const oneLine = value.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  const harmless = partsOf(apiKey)
    .reduce((text, part) => text.replaceAll(part, '[removed]'), oneLine)
    .replace(SECRETS, '[removed]')
  const characters = [...harmless]
  if (characters.length === 0) return undefined
  return characters.length <= LONGEST ? harmless : `${characters.slice(0, LONGEST).join('')}…`
}

/** The key, and its secret part alone. */
function partsOf(apiKey: string): readonly string[] {
  const secret = apiKey.slice(apiKey.lastIndexOf('.') + 1)
  return [apiKey, secret].filter(({ length }) => length >= 4)
}

function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function explainForbidden(missing: string | undefined, needed: string): string {
  return missing === undefined
    ? `the API key is not allowed to perform this operation, which needs the scope "${needed}". Create a key with that scope in the account console.`
    : `the API key lacks the scope "${missing}". Create a key with that scope in the account console.`
}

function explainRateLimited(retryAfterMs: number | undefined): string {
  const pause = retryAfterMs === undefined ? 'a while' : `${Math.ceil(retryAfterMs / 1000)} s`
  return `the service received too many requests. Wait ${pause} before the next call, and run fewer calls at the same time.`
}

const GATEWAY_FAILED =
  'a gateway in front of the service could not get a response from the service. Call again later; if the failure continues, report it to the service.'

const EXPLANATIONS: Readonly<Record<Exclude<ApiErrorCode, 'forbidden' | 'rate_limited'>, string>> = {
  unauthorized:
    'the service does not accept the API key. Check that the API key is complete, that it is not revoked, and that it was created for the service at the base URL.',
  not_found:
    'the service found nothing that this API key can access. Check the id, and check that the key belongs to the integration that can access it. If every call fails like this, check the base URL.',
  not_supported:
    'the service does not support the operation, or the id does not exist. Check the id; if it is correct, use the account console instead.',
  not_ready:
    'the content is not ready yet. Wait for the event note.ended (transcript) or note.summary.generated (summary), or call again later.',
  content_not_found:
    'the service did not return the content: it may not be ready, or the note may be deleted. Read the note with notes.get to find out, and keep your copy until you know.',
  invalid_request: 'the service rejected the request as invalid. Correct the arguments of the call.',
  cursor_expired:
    'the service no longer accepts the cursor. Start the listing again without a cursor; notes.changes does this itself, once per loop.',
  redirect_refused:
    'the client does not follow redirects, because it sends the API key to the base URL only. Set the base URL to the address that answers without a redirect.',
  server_error:
    'the service failed. Call again later; if the failure continues, report it to the service with the request id.',
  unexpected_status:
    'the contract does not define this status for this operation. Check that the base URL is the address of the notes service, and not of a proxy.',
}
