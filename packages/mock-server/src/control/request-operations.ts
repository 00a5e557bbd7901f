import type { ReceivedRequest } from '../api/request-log.ts'
import type { ServiceParts } from '../api/service-parts.ts'
import { fields } from '../errors/checked.ts'
import { withoutSecrets } from './hidden-secrets.ts'
import { logQuery, matcherOf, pageOf } from './log-page.ts'
import { known, operation } from './operation.ts'

export const requestOperations = {
  'GET /control/requests': operation({
    summary: 'List the last requests to the REST API with their answers, the newest first',
    input: fields(logQuery),
    run: ({ requestLog, contract, input: { search, ...position } }) => {
      const isFound = matcherOf(search)
      // Searched without secrets, so that nobody finds out a key by its parts.
      const matches = (request: ReceivedRequest) =>
        isFound(() => textsOf(request).map((text) => withoutSecrets(`${text ?? ''}`, contract.keyPrefix)))
      const part = pageOf(requestLog.entries, ({ request_id }) => request_id, matches, position)
      const found = known('request', position.before, part)
      const requests = found.entries.map((request) => shown(request, contract))
      return { requests, page: { ...found.page, dropped: requestLog.dropped } }
    },
  }),
  'GET /control/requests/:request_id': operation({
    summary: 'Read a request to the REST API with its answer',
    run: ({ requestLog, contract, id }) => {
      const isAsked = ({ request_id }: ReceivedRequest) => request_id === id('request_id')
      return shown(known('request', id('request_id'), requestLog.entries.find(isAsked)), contract)
    },
  }),
}

function textsOf({ request_id, method, path, query, authentication, key_id, status }: ReceivedRequest) {
  const statuses = status === undefined ? ['no answer'] : [status, `${Math.floor(status / 100)}xx`]
  return [request_id, method, path, ...Object.entries(query).flat(), authentication, key_id, ...statuses]
}

function shown(request: ReceivedRequest, { keyPrefix }: ServiceParts['contract']): ReceivedRequest {
  const hidden = (text: string) => withoutSecrets(text, keyPrefix)
  const query = Object.entries(request.query).map(([name, value]) => [hidden(name), hidden(value)])
  const { method, path, body, answer } = request
  return {
    ...request,
    method: hidden(method),
    path: hidden(path),
    query: Object.fromEntries(query),
    body: hidden(body),
    answer: answer && { ...answer, body: hidden(answer.body) },
  }
}
