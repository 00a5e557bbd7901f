import * as z from 'zod'
import { CONTROL_OPERATIONS } from '../src/control/control-operations.ts'
import type { ControlOperation } from '../src/control/operation.ts'
import { type JsonSchema, ref, schemaOf } from './schemas.ts'

const text = z.string()
const texts = z.array(text)
const time = z.iso.datetime()
const owner = z.object({ owner_id: text, name: text })
const endpoint = z.object({
  endpoint_id: text,
  url: text,
  events: texts,
  status: z.enum(['pending_verification', 'active', 'disabled']),
  created_at: time,
  integration_id: text,
  owner_id: text,
})
const page = z.object({
  total: z.int().describe('How many entries of the log match.'),
  newer: z.int().describe('How many matching entries are newer than those that are listed.'),
  newer_before: text.optional().describe('`before` for the next newer entries.'),
  older_before: text.optional().describe('`before` for the next older entries.'),
  dropped: z.int().optional().describe('How many older entries the log has dropped.'),
})
const attempt = z.object({
  delivery_id: text,
  event_id: text,
  event_type: text,
  endpoint_id: text,
  webhook_id: text,
  attempt: z.int(),
  duplicate: z.boolean(),
  at: z.number().describe('Milliseconds since the Unix epoch.'),
  duration_ms: z.number(),
  url: text,
  headers: z.record(text, text),
  body: text,
  faults: texts,
  outcome: z.object({
    kind: z.enum(['in_flight', 'answered', 'timed_out', 'connection_failed', 'dropped']),
    status: z.int().optional(),
    reason: text.optional(),
    message: text.optional().describe('Of an error that a receiver in the process of the mock server threw.'),
    lost: z.enum(['request', 'answer']).optional(),
  }),
  response: z.object({ headers: z.record(text, text), body: text, truncated: z.boolean() }).optional(),
})
const delivery = z.object({
  delivery_id: text,
  event_id: text,
  event_type: text,
  endpoint_id: text,
  owner_id: text,
  webhook_id: text,
  replay_of: text.optional(),
  created_at: z.number().describe('Milliseconds since the Unix epoch.'),
  body: text,
  status: z.enum(['pending', 'delivered', 'given_up', 'lost']),
  attempts: z.array(attempt),
  note_id: text.optional().describe('The note of the event.'),
  next_attempt_at: z
    .number()
    .optional()
    .describe('When the next attempt is sent, in milliseconds since the Unix epoch.'),
})
const note = z.object({
  note_id: text,
  owner_id: text,
  revision: z.int(),
  title: text.nullable(),
  content: text.nullable(),
  status: z.enum(['pending', 'ended', 'deleted']),
  transcript_status: text,
  summary_status: text,
  place: text.describe('`personal`, or the identifier of a channel.'),
  created_at: time,
  updated_at: time,
  ended_at: time.nullable(),
  deleted_at: time.nullable(),
  sessions: z.array(z.object({ recording_session_id: text, ended: z.boolean() })),
})
const channel = z.object({ channel_id: text, name: text, owner_id: text })
const key = z.object({ key_id: text, scopes: texts })
const integration = z.object({ integration_id: text, name: text, owner_id: text, places: texts, keys: z.array(key) })
const fault = z.object({ fault_id: text, rule: z.record(text, z.unknown()), struck: z.int() })
const request = z.object({
  request_id: text,
  at: z.number().describe('Milliseconds since the Unix epoch.'),
  method: text,
  path: text,
  query: z.record(text, text),
  authentication: z
    .enum(['accepted', 'missing', 'rejected'])
    .describe('`missing` without `Authorization: Bearer`; `rejected` for a key that is unknown or revoked.'),
  key_id: text.optional(),
  body: text,
  status: z.int().optional(),
  duration_ms: z.number(),
  answer: z
    .object({
      content_type: text.optional(),
      length: z.int().describe('The length of the whole body, in UTF-16 code units.'),
      body: text.describe('The first 4,096 UTF-16 code units.'),
    })
    .optional(),
})
const clock = z.object({ mode: z.enum(['virtual', 'real']), now: time })

const refusal = z.object({
  error: z.object({
    code: text,
    message: text.describe('The problem and the remedy.'),
    problem: text.describe('What went wrong.'),
    remedy: text.describe('What to do next.'),
    option: text.optional().describe('The field that is wrong.'),
  }),
})

/** The resources of the control API. */
const RESOURCES = {
  ControlAttempt: attempt,
  ControlChannel: channel,
  ControlChannelList: z.object({ channels: z.array(channel) }),
  ControlClock: clock,
  ControlDelivery: delivery,
  ControlDeliveryList: z.object({ deliveries: z.array(delivery), page }),
  ControlEndpoint: endpoint,
  ControlEndpointList: z.object({ endpoints: z.array(endpoint) }),
  ControlEndpointWithSecret: endpoint.extend({ signing_secret: text.describe('Returned only here.') }),
  ControlFault: fault,
  ControlFaultList: z.object({ faults: z.array(fault) }),
  ControlIntegration: integration,
  ControlIntegrationList: z.object({ integrations: z.array(integration) }),
  ControlIssuedKey: key.extend({ key: text.describe('Returned only here.') }),
  ControlNote: note,
  ControlNoteList: z.object({ notes: z.array(note), page }),
  ControlOwnerList: z.object({ owners: z.array(owner) }),
  ControlOwnerWithKey: owner.extend({ api_key: text.describe('Returned only here.') }),
  ControlRefusal: refusal,
  ControlRequest: request,
  ControlRequestList: z.object({ requests: z.array(request), page }),
  ControlReplay: z.object({ delivery_id: text }),
  ControlSession: z.object({ recording_session_id: text }),
  ControlTriggered: z.object({ event_type: text, note_id: text.optional(), endpoint_ids: texts.optional() }),
}

/** The resource that each operation answers. The others answer 204. */
const ANSWERS: Readonly<Record<string, keyof typeof RESOURCES>> = {
  'POST /control/trigger': 'ControlTriggered',
  'GET /control/endpoints': 'ControlEndpointList',
  'POST /control/endpoints': 'ControlEndpointWithSecret',
  'GET /control/endpoints/:endpoint_id': 'ControlEndpoint',
  'PATCH /control/endpoints/:endpoint_id': 'ControlEndpoint',
  'POST /control/endpoints/:endpoint_id/rotate-secret': 'ControlEndpointWithSecret',
  'GET /control/deliveries': 'ControlDeliveryList',
  'GET /control/deliveries/:delivery_id': 'ControlDelivery',
  'POST /control/deliveries/:delivery_id/replay': 'ControlReplay',
  'GET /control/notes': 'ControlNoteList',
  'POST /control/notes': 'ControlNote',
  'GET /control/notes/:note_id': 'ControlNote',
  'PATCH /control/notes/:note_id': 'ControlNote',
  'POST /control/notes/:note_id/move': 'ControlNote',
  'POST /control/notes/:note_id/sessions': 'ControlSession',
  'POST /control/notes/:note_id/sessions/:recording_session_id/end': 'ControlNote',
  'GET /control/owners': 'ControlOwnerList',
  'POST /control/owners': 'ControlOwnerWithKey',
  'GET /control/channels': 'ControlChannelList',
  'POST /control/channels': 'ControlChannel',
  'GET /control/integrations': 'ControlIntegrationList',
  'POST /control/integrations': 'ControlIntegration',
  'GET /control/integrations/:integration_id': 'ControlIntegration',
  'POST /control/integrations/:integration_id/keys': 'ControlIssuedKey',
  'GET /control/faults': 'ControlFaultList',
  'POST /control/faults': 'ControlFault',
  'GET /control/faults/:fault_id': 'ControlFault',
  'PUT /control/faults/:fault_id': 'ControlFault',
  'GET /control/requests': 'ControlRequestList',
  'GET /control/requests/:request_id': 'ControlRequest',
  'GET /control/clock': 'ControlClock',
  'POST /control/clock/advance': 'ControlClock',
  'POST /control/clock/settle': 'ControlClock',
}

const REFUSALS = {
  400: 'The body is not JSON.',
  403: 'The request comes from another machine, another host name, or a page of another origin.',
  404: 'The path or the body names something that does not exist.',
  409: 'Its state does not allow it.',
  422: 'A field is wrong; `error.option` names it.',
}

/** The schemas of the resources, by name. */
export function controlSchemas(): Readonly<Record<string, object>> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(RESOURCES)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]))
}

/** The refusals, by name. */
export function controlResponses(): Readonly<Record<string, object>> {
  const refused = Object.entries(REFUSALS).map(([status, description]) => [
    `ControlRefusal${status}`,
    { description, ...contentOf(ref('ControlRefusal')) },
  ])
  return Object.fromEntries(refused)
}

/** The control API of the mock server (docs/mock-server/console.md#control-api), as paths of an OpenAPI document. */
export function controlPaths(): Readonly<Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {}
  for (const [route, { summary, status = 200, input }] of Object.entries<ControlOperation>(CONTROL_OPERATIONS)) {
    const [method = '', path = ''] = route.split(' ')
    const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }))
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    const item = paths[template] ?? {}
    paths[template] = item
    const answer = ANSWERS[route]
    item[method.toLowerCase()] = {
      operationId: operationIdOf(method, path),
      tags: ['Control of the mock server'],
      summary,
      description: 'Only in the mock server. A change needs the header `Origin` with the URL of the server.',
      security: [],
      parameters: [...parameters, ...(method === 'GET' ? queryParameters(input) : [])],
      ...(method === 'GET' || input === undefined
        ? {}
        : { requestBody: { content: { 'application/json': { schema: schemaOf(input) } } } }),
      responses: {
        [status]: { description: 'Done.', ...(answer === undefined ? {} : contentOf(ref(answer))) },
        ...Object.fromEntries(
          Object.keys(REFUSALS).map((code) => [code, { $ref: `#/components/responses/ControlRefusal${code}` }]),
        ),
      },
    }
  }
  return paths
}

/** `postControlNotesMove` for `POST /control/notes/:note_id/move`. */
function operationIdOf(method: string, path: string): string {
  const words = path.split(/\W+/).filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
}

function queryParameters(input: z.core.$ZodType | undefined): readonly object[] {
  const { properties = {} } = input === undefined ? {} : schemaOf(input)
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }))
}

function contentOf(schema: JsonSchema): object {
  return { content: { 'application/json': { schema } } }
}
