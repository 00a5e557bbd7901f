import { API_VERSION_PREFIX, type Scope } from '@notewire/protocol'
import type * as z from 'zod'
import { endpointChangesBody, newEndpointBody } from '../src/api/endpoint-resource.ts'
import { controlPaths, controlResponses, controlSchemas } from './control.ts'
import { CONTRACT_VERSION, type JsonSchema, RESOURCES, ref, schemaOf } from './schemas.ts'

/** The REST API (contract §4, §5, §7; open points 1 to 14, 22 and 23), as an OpenAPI 3.1 document. */
export function openApiDocument(): object {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Notes service',
      version: CONTRACT_VERSION,
      summary: 'Notes with their transcripts and summaries, and webhooks for their changes.',
      description:
        'The default behaviour of the mock server of Notewire. The contract leaves much of it open: a client must accept unknown fields, and absent optional fields.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4010', description: 'npx @notewire/mock-server' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Notes', description: 'Reading notes, transcripts and summaries.' },
      {
        name: 'Webhook endpoints',
        description: 'The URLs to which the service sends its events. They belong to the integration of the key.',
      },
      {
        name: 'Control of the mock server',
        description: 'What the console does, as JSON. A real service has no such operations.',
      },
    ],
    paths: {
      ...Object.fromEntries(Object.entries(paths()).map(([path, item]) => [API_VERSION_PREFIX + path, item])),
      ...controlPaths(),
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: '`<prefix>_live_{key_id}.{secret}`, shown once when it is issued.',
        },
      },
      responses: controlResponses(),
      schemas: { ...RESOURCES, ...controlSchemas() },
    },
  }
}

function paths(): Readonly<Record<string, object>> {
  const noteId = pathParameter('note_id', 'Identifies the note.')
  const endpointId = pathParameter('endpoint_id', 'Identifies the endpoint.')
  const deliveryId = pathParameter('delivery_id', 'Identifies the delivery.')

  return {
    '/notes': {
      get: operation('listNotes', 'Notes', 'List the notes that the key can access', 'notes:read', {
        parameters: [
          query('limit', 'Page size.', { type: 'integer', minimum: 1, maximum: 100, default: 50 }),
          query('cursor', 'The `next_cursor` of the previous page.', { type: 'string' }),
          query('updated_after', 'Only notes updated after this time: ISO 8601, UTC.', {
            type: 'string',
            format: 'date-time',
          }),
          query('include_deleted', 'Whether deletion markers are listed.', { type: 'boolean', default: false }),
        ],
        responses: { 200: json('A page of notes.', 'NotePage'), ...refusals(400) },
      }),
    },
    '/notes/{note_id}': {
      parameters: [noteId],
      get: operation('readNote', 'Notes', 'Read a note, or its tombstone', 'notes:read', {
        responses: { 200: json('The note.', 'Note'), ...refusals(404) },
      }),
    },
    '/notes/{note_id}/transcript': {
      parameters: [noteId],
      get: operation('readTranscript', 'Notes', 'Read the transcript of a note', 'transcripts:read', {
        responses: { 200: json('The transcript.', 'Transcript'), ...refusals(404) },
      }),
    },
    '/notes/{note_id}/summary': {
      parameters: [noteId],
      get: operation('readSummary', 'Notes', 'Read the summary of a note', 'summaries:read', {
        responses: { 200: json('The summary, or its status while there is none.', 'Summary'), ...refusals(404) },
      }),
    },
    '/webhook-endpoints': {
      get: endpointOperation('listWebhookEndpoints', 'List the endpoints', {
        responses: { 200: json('The endpoints.', 'WebhookEndpointList'), ...refusals() },
      }),
      post: endpointOperation('createWebhookEndpoint', 'Register an endpoint', {
        requestBody: body(newEndpointBody({ endpointKinds: 'refused' })),
        responses: {
          201: json(
            'The endpoint, with its signing secret, which is shown once. Its verification leaves at once.',
            'WebhookEndpointWithSecret',
          ),
          ...refusals(400, 413, 422),
        },
      }),
    },
    '/webhook-endpoints/{endpoint_id}': {
      parameters: [endpointId],
      get: endpointOperation('readWebhookEndpoint', 'Read an endpoint', {
        responses: { 200: json('The endpoint.', 'WebhookEndpoint'), ...refusals(404) },
      }),
      patch: endpointOperation('changeWebhookEndpoint', 'Change an endpoint', {
        requestBody: body(endpointChangesBody({ endpointKinds: 'refused' })),
        responses: { 200: json('The endpoint.', 'WebhookEndpoint'), ...refusals(400, 404, 413, 422) },
      }),
      delete: endpointOperation('deleteWebhookEndpoint', 'Delete an endpoint', {
        responses: { 204: { description: 'The endpoint is deleted. Nothing more is sent to it.' }, ...refusals(404) },
      }),
    },
    '/webhook-endpoints/{endpoint_id}/test': {
      parameters: [endpointId],
      post: endpointOperation('testWebhookEndpoint', 'Send a test event', {
        responses: { 202: { description: 'An `endpoint.test` is being delivered.' }, ...refusals(404) },
      }),
    },
    '/webhook-endpoints/{endpoint_id}/rotate-secret': {
      parameters: [endpointId],
      post: endpointOperation('rotateSigningSecret', 'Rotate the signing secret', {
        responses: {
          200: json(
            'The endpoint, with its new secret. For 24 hours, deliveries are signed with both secrets.',
            'WebhookEndpointWithSecret',
          ),
          ...refusals(404),
        },
      }),
    },
    '/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay': {
      parameters: [endpointId, deliveryId],
      post: endpointOperation('replayDelivery', 'Deliver an event again', {
        responses: {
          202: json('The same event is being delivered with a new `webhook-id`.', 'Replay'),
          ...refusals(404, 409),
        },
      }),
    },
  }
}

interface OperationParts {
  readonly parameters?: readonly object[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<number, object>>
}

function operation(operationId: string, tag: string, summary: string, scope: Scope, parts: OperationParts): object {
  return { operationId, tags: [tag], summary, description: `Requires the scope \`${scope}\`.`, ...parts }
}

function endpointOperation(operationId: string, summary: string, parts: OperationParts): object {
  return operation(operationId, 'Webhook endpoints', summary, 'webhooks:manage', parts)
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'A parameter, the cursor or the JSON cannot be read.',
  401: 'The key is missing, unknown or revoked.',
  403: 'The key lacks the scope, which `error.scope` names.',
  404: 'It does not exist, the key cannot access it, or it is not ready.',
  409: 'Its state does not allow it.',
  413: 'The body is too large.',
  422: 'The body is JSON, but a field is wrong.',
  429: 'Too many requests: try again after the time that `Retry-After` says.',
}

/** The refusals of every operation, and these. */
function refusals(...statuses: readonly number[]): Readonly<Record<number, object>> {
  return Object.fromEntries(
    [401, 403, 429, ...statuses].map((status) => [
      status,
      json(REFUSALS[status] ?? 'Refused.', 'Error', status === 429 ? RETRY_AFTER : {}),
    ]),
  )
}

const REQUEST_ID = {
  'x-request-id': { description: 'Names the request in the log of the service.', schema: { type: 'string' } },
}
const RETRY_AFTER = { 'retry-after': { description: 'Seconds, or a date.', schema: { type: 'string' } } }

function json(description: string, resource: keyof typeof RESOURCES, headers: object = {}): object {
  return {
    description,
    headers: { ...REQUEST_ID, ...headers },
    content: { 'application/json': { schema: ref(resource) } },
  }
}

function body(schema: z.core.$ZodType): object {
  return { required: true, content: { 'application/json': { schema: schemaOf(schema) } } }
}

function query(name: string, description: string, schema: JsonSchema): object {
  return { name, in: 'query', description, schema }
}

function pathParameter(name: string, description: string): object {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } }
}
