import { type KeptAnswer, MAX_SHOWN_REQUESTS, type ReceivedRequest } from '../api/request-log.ts'
import type { ServiceParts } from '../api/service-parts.ts'
import { fields } from '../errors/checked.ts'
import { withoutSecrets } from './hidden-secrets.ts'
import { type LogPage, logQuery, matcherOf, pageOf } from './log-page.ts'
import { operation, unknown } from './operation.ts'

export const requestOperations = {
  'GET /control/requests': operation({
    summary: `List the last ${MAX_SHOWN_REQUESTS} requests to the REST API with their answers, the newest first`,
    input: fields(logQuery),
    run: (call) => ({ requests: newestRequests(call, call.input.search, call.input).requests }),
  }),
  'GET /control/requests/:request_id': operation({
    summary: 'Read a request to the REST API with its answer',
    run: (call) => requestOf(call, call.id('request_id')),
  }),
}

/** A request to the REST API without secrets, and the beginning of its answer. */
export interface LoggedRequest extends ReceivedRequest {
  /** `undefined` if there was none, or if it is no longer kept. */
  readonly answer: KeptAnswer | undefined
}

/**
 * A page of the last requests.
 *
 * @param search  words of the identifiers, the method, the path, the query, the authentication, or the status: `404` or `4xx`
 * @throws `MockServerError` `request_unknown` if there is no request `before`
 */
export function newestRequests(
  parts: ServiceParts,
  search: string | undefined,
  { before, ...part }: { readonly before?: string | undefined; readonly skip?: number; readonly limit: number },
): Omit<LogPage<ReceivedRequest>, 'entries'> & { readonly requests: readonly LoggedRequest[] } {
  const isFound = matcherOf(search)
  const matches = (request: ReceivedRequest) =>
    isFound(() => textsOf(request).map((text) => withoutSecrets(`${text ?? ''}`, parts.contract.keyPrefix)))
  const start = before === undefined ? undefined : receivedRequest(parts, before)
  const last = parts.requestLog.requests.slice(-MAX_SHOWN_REQUESTS)
  const { entries, ...page } = pageOf(last, matches, { ...part, before: start })
  return { ...page, requests: entries.map((request) => withAnswer(parts, request)) }
}

/** @throws `MockServerError` `request_unknown` */
export function requestOf(parts: ServiceParts, request_id: string): LoggedRequest {
  return withAnswer(parts, receivedRequest(parts, request_id))
}

function textsOf({ request_id, method, path, query, authentication, key_id, status }: ReceivedRequest) {
  const statuses = status === undefined ? ['no answer'] : [status, `${Math.floor(status / 100)}xx`]
  return [request_id, method, path, ...Object.entries(query).flat(), authentication, key_id, ...statuses]
}

function receivedRequest({ requestLog }: ServiceParts, request_id: string): ReceivedRequest {
  const request = requestLog.requests.find((received) => received.request_id === request_id)
  if (request === undefined) throw unknown('request_unknown', `request ${request_id}`)
  return request
}

function withAnswer({ requestLog, contract }: ServiceParts, request: ReceivedRequest): LoggedRequest {
  const hidden = (text: string) => withoutSecrets(text, contract.keyPrefix)
  const query = Object.fromEntries(Object.entries(request.query).map(([name, value]) => [hidden(name), hidden(value)]))
  const answer = requestLog.answerTo(request.request_id)
  const { method, path, body } = request
  return {
    ...request,
    method: hidden(method),
    path: hidden(path),
    query,
    body: hidden(body),
    answer: answer && { ...answer, body: hidden(answer.body) },
  }
}
