import { asDefault, incompatible, otherwise, type PointSubject, type ProbedPoint, unseen } from '../point.ts'
import type { Wire, WireAnswer } from '../wire.ts'
import { bodyOf, type Fields, fieldsOf, identifierIn, isDone, shownWord, statusInWords } from '../wire-shapes.ts'

const RESOURCE: PointSubject = { row: 13, title: 'fields of an endpoint' }
const IDENTIFIER: PointSubject = { row: 13, title: 'identifier of an endpoint' }
const OPERATIONS: PointSubject = { row: 14, title: 'operations on endpoints' }
const STATES: PointSubject = { row: 15, title: 'states of endpoints' }

/** The path of the endpoints. */
export const ENDPOINTS_PATH = '/v1/webhook-endpoints'

const IDENTIFIERS = ['endpoint_id', 'id']

/** The identifier of an endpoint, under either name. */
export function endpointIdOf(endpoint: Fields): string | undefined {
  return identifierIn(endpoint, IDENTIFIERS)
}

/** The endpoints of a list, in whatever field. */
function endpointsIn(answer: WireAnswer | undefined): readonly Fields[] {
  if (Array.isArray(answer?.json)) return answer.json.map(fieldsOf)
  const list = Object.values(bodyOf(answer)).find(Array.isArray)
  return Array.isArray(list) ? list.map(fieldsOf) : []
}

/**
 * What can be seen of endpoints without changing any (open points 13 to 15).
 *
 * @param list  the answer to the request for all of them
 * @param created  an endpoint that the probe created, if it did
 */
export async function endpointPoints(
  wire: Wire,
  list: WireAnswer | undefined,
  created: Fields | undefined,
): Promise<readonly ProbedPoint[]> {
  const listed = endpointsIn(list)
  const known = created === undefined ? listed : [...listed, created]
  const why = whyUnseen(list)
  return [
    operations(list, await readOne(wire, listed)),
    known.length === 0 ? unseen(IDENTIFIER, why) : identifier(known),
    known.length === 0 ? unseen(RESOURCE, why) : resource(known),
    states(listed),
  ]
}

async function readOne(wire: Wire, endpoints: readonly Fields[]): Promise<WireAnswer | undefined> {
  const id = endpoints.map(endpointIdOf).find((each) => each !== undefined)
  return id === undefined ? undefined : await wire.ask({ path: `${ENDPOINTS_PATH}/${encodeURIComponent(id)}` })
}

function whyUnseen(list: WireAnswer | undefined): string {
  if (list === undefined) return 'no answer came'
  if (list.status === 403) return 'the key may not see endpoints'
  return isDone(list)
    ? 'there is no endpoint; --write creates one, and deletes it again'
    : 'endpoints cannot be listed; --write would not delete what it creates'
}

function operations(list: WireAnswer | undefined, one: WireAnswer | undefined): ProbedPoint {
  if (list === undefined) return unseen(OPERATIONS, 'no answer came')
  if (list.status === 403) return unseen(OPERATIONS, 'the key may not see endpoints')
  if (isDone(list)) {
    if (one === undefined || isDone(one)) {
      return asDefault(OPERATIONS, one === undefined ? 'they can be listed' : 'they can be listed and read')
    }
    const advice = 'client.webhookEndpoints.get and waitUntilActive throw not_supported.'
    return otherwise(OPERATIONS, `they can be listed; reading one is answered ${statusInWords(one)}`, advice)
  }
  const seen = `GET ${ENDPOINTS_PATH} answers ${statusInWords(list)}`
  if ([404, 405, 501].includes(list.status)) {
    const advice =
      'They can be created alone: the other methods of client.webhookEndpoints throw not_supported. Use the account console.'
    return otherwise(OPERATIONS, seen, advice, { endpointOperations: 'creation' })
  }
  return incompatible(OPERATIONS, seen, 'client.webhookEndpoints fails. Ask the service why.')
}

function identifier(endpoints: readonly Fields[]): ProbedPoint {
  const has = (name: string) => endpoints.every((endpoint) => typeof endpoint[name] === 'string')
  if (has('endpoint_id')) return asDefault(IDENTIFIER, '"endpoint_id"')
  if (has('id')) {
    const advice = 'The client fills endpoint_id. There is nothing to set.'
    return otherwise(IDENTIFIER, '"id"', advice, { endpointIdentifier: 'id' })
  }
  return incompatible(IDENTIFIER, 'under a name that Notewire does not know', 'The client refuses such endpoints.')
}

const FIELDS = ['url', 'events', 'status', 'created_at']

function resource(endpoints: readonly Fields[]): ProbedPoint {
  const missing = FIELDS.filter((field) => endpoints.every((endpoint) => !(field in endpoint)))
  if (missing.length === 0) return asDefault(RESOURCE, FIELDS.join(', '))
  const advice = missing.includes('status')
    ? 'waitUntilActive has no status to go by, and ends with endpoint_not_active: rely on the verification that your receiver gets.'
    : 'There is nothing to set.'
  const contract = missing.length === FIELDS.length ? ({ endpointFields: 'required' } as const) : {}
  return otherwise(RESOURCE, `without ${missing.join(', ')}`, advice, contract)
}

function states(endpoints: readonly Fields[]): ProbedPoint {
  const seen = [...new Set(endpoints.map(({ status }) => status).filter((status) => typeof status === 'string'))]
  const others = seen.filter((status) => !['active', 'pending_verification', 'disabled'].includes(status))
  if (others.length > 0) {
    const advice = 'If it is the disabled state: the client passes it on as it came. There is nothing to set.'
    const [first = ''] = others
    const contract = others.length === 1 && /^[A-Za-z][\w:.-]*$/.test(first) ? { disabledState: first } : {}
    return otherwise(STATES, others.map(shownWord).join(', '), advice, contract)
  }
  if (seen.includes('disabled')) return asDefault(STATES, '"disabled" is one of them')
  return unseen(STATES, 'no endpoint is disabled')
}
