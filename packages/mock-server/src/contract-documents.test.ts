import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { contractDocuments, FOLDER } from '../contract/documents.ts'
import { call } from '../fixtures/call.ts'
import { anInbox } from '../fixtures/inbox.ts'
import { createNotesService } from './service/create-notes-service.ts'

describe('the contract documents', () => {
  it.each(Object.entries(contractDocuments()))('%s matches the schemas of the protocol', (name, text) => {
    expect(readFileSync(join(FOLDER, name), 'utf8'), 'out of date: run `npm run fix`').toBe(text)
  })
})

describe('the answers of the REST API', () => {
  it('match the OpenAPI document in every operation, without additional fields', async () => {
    await using service = await createNotesService({ notes: 3 })
    const { endpoint_id } = await service.connect(anInbox().open)
    const unknownKey = { key: 'ntw_live_unknown.secret' }
    const reader = service.owner.createIntegration().issueKey({ scopes: ['notes:read'] })
    const [first] = service.owner.notes()
    const pending = service.owner.record({ title: null }).note
    const deleted = service.owner.record().end({ transcript: [{ text: 'The speaker is unknown.' }] })
    await service.settled()
    deleted.delete()
    await service.settled()
    const delivery_id = service.deliveries.at(-1)?.delivery_id
    const endpoint = `/v1/webhook-endpoints/${endpoint_id}`
    const subscription = { url: 'https://receiver.example/hooks', events: ['note.ended'] }

    const answered = [
      await answer('GET /v1/notes'),
      await answer('GET /v1/notes?include_deleted=true&limit=2'),
      await answer('GET /v1/notes?limit=0'),
      await answer('GET /v1/notes?cursor=made-up'),
      await answer('GET /v1/notes', unknownKey),
      await answer(`GET /v1/notes/${first?.note_id}`),
      await answer(`GET /v1/notes/${deleted.note_id}`),
      await answer('GET /v1/notes/note_1'),
      await answer(`GET /v1/notes/${first?.note_id}/transcript`),
      await answer(`GET /v1/notes/${pending.note_id}/transcript`),
      await answer(`GET /v1/notes/${first?.note_id}/transcript`, { key: reader.key }),
      await answer(`GET /v1/notes/${first?.note_id}/summary`),
      await answer(`GET /v1/notes/${pending.note_id}/summary`),
      await answer('GET /v1/webhook-endpoints'),
      await answer('POST /v1/webhook-endpoints', { body: subscription }),
      await answer('POST /v1/webhook-endpoints', { body: '{' }),
      await answer('POST /v1/webhook-endpoints', { body: { url: 'elsewhere' } }),
      await answer('POST /v1/webhook-endpoints', { body: { url: 'x'.repeat(70_000) } }),
      await answer(`GET ${endpoint}`),
      await answer(`PATCH ${endpoint}`, { body: { events: ['note.deleted'] } }),
      await answer(`POST ${endpoint}/test`),
      await answer(`POST ${endpoint}/deliveries/${delivery_id}/replay`),
      await answer(`POST ${endpoint}/rotate-secret`),
      await answer(`POST ${endpoint}/deliveries/dlv_1/replay`),
      await answer(`PATCH ${endpoint}`, { body: { url: 'https://receiver.example/moved' } }),
      await answer(`POST ${endpoint}/deliveries/${delivery_id}/replay`),
      await answer(`DELETE ${endpoint}`),
    ]
    service.faults.inject({ request: 'GET /v1/notes', fault: { kind: 'status', status: 429 } })
    answered.push(await answer('GET /v1/notes'))

    for (const { what, complaint } of answered) expect(complaint, what).toBeUndefined()
    const inApi = OPERATIONS.filter(({ template }) => template.startsWith('/v1/'))
    expect(new Set(answered.map(({ operationId }) => operationId))).toEqual(
      new Set(inApi.map(({ operationId }) => operationId)),
    )
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set(inApi.flatMap(({ statuses }) => statuses)))

    async function answer(operation: string, options: Parameters<typeof call>[2] = {}) {
      const { status, body } = await call(service, operation, options)
      const { operationId, complaint } = checkAnswer(operation, status, body)
      return { what: `${operation}: ${status}`, status, operationId, complaint }
    }
  })

  it('would fail this test if they did not match', () => {
    expect(checkAnswer('GET /v1/notes/note_1', 200, { note_id: 'note_1', revision: -1 }).complaint).toContain(
      'revision',
    )
    expect(checkAnswer('GET /v1/notes/note_1', 200, { note_id: 'note_1', revision: 1, secret: 1 }).complaint).toContain(
      'secret',
    )
    expect(checkAnswer('GET /v1/notes/note_1', 418, {}).complaint).toContain('418')
    expect(checkAnswer('DELETE /v1/webhook-endpoints/whe_1', 204, {}).complaint).toContain('body')
  })
})

describe('the control API', () => {
  it('matches the OpenAPI document in every operation, without additional fields', async () => {
    await using service = await createNotesService({ clock: 'virtual', notes: 2 })
    await service.listen()
    const { endpoint_id } = await service.connect(anInbox().open)
    const [delivery] = service.deliveries
    const answered = new Set<string>()

    const ask = async <Body = Record<string, string>>(operation: string, body?: unknown): Promise<Body> => {
      const [method = '', path = ''] = operation.split(' ')
      const response = await fetch(service.baseUrl + path, {
        method,
        headers: { origin: service.baseUrl },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const answer = text === '' ? undefined : JSON.parse(text)
      const { operationId, complaint } = checkAnswer(operation, response.status, answer)
      expect(complaint, `${operation}: ${response.status} ${text}`).toBeUndefined()
      answered.add(operationId ?? '')
      answered.add(String(response.status))
      return answer
    }

    const { note_id } = await ask('POST /control/trigger', { event_type: 'note.ended' })
    await ask('POST /control/trigger', { event_type: 'endpoint.test' })
    await ask('POST /control/trigger', { event_type: 'note.ended', endpoint_id })
    await ask('POST /control/clock/advance', { by: '1h' })
    await ask('POST /control/clock/advance', { by: 'soon' })
    await ask('POST /control/clock/settle')
    await ask('GET /control/clock')
    await ask('GET /control/endpoints')
    const registered = await ask('POST /control/endpoints', { url: 'https://receiver.example/hooks' })
    await ask('POST /control/endpoints', { url: 'receiver' })
    await ask(`PATCH /control/endpoints/${registered['endpoint_id']}`, { events: ['note.ended'] })
    await ask(`POST /control/endpoints/${registered['endpoint_id']}/rotate-secret`)
    await ask(`GET /control/endpoints/${registered['endpoint_id']}`)
    await ask(`DELETE /control/endpoints/${registered['endpoint_id']}`)
    await ask(`DELETE /control/endpoints/${registered['endpoint_id']}`)
    await ask('GET /control/deliveries?status=delivered&limit=5')
    await ask('GET /control/deliveries?search=verification&limit=1')
    await ask('GET /control/deliveries?limit=many')
    await ask(`GET /control/deliveries/${delivery?.delivery_id}`)
    await ask(`POST /control/deliveries/${delivery?.delivery_id}/replay`)
    const { owner_id } = await ask('POST /control/owners', { name: 'acme' })
    await ask('GET /control/owners')
    await ask(`GET /control/notes?owner_id=${owner_id}`)
    await ask('GET /control/endpoints?owner_id=own_1')
    const { channel_id } = await ask('POST /control/channels', { name: 'Design' })
    await ask('GET /control/channels')
    const { integration_id } = await ask('POST /control/integrations', { channels: [channel_id] })
    const { key_id } = await ask(`POST /control/integrations/${integration_id}/keys`, { scopes: ['notes:read'] })
    await ask('GET /control/integrations')
    await ask(`GET /control/integrations/${integration_id}`)
    await ask(`DELETE /control/keys/${key_id}`)
    const recorded = await ask<{ note_id: string; sessions: { recording_session_id: string }[] }>(
      'POST /control/notes',
      { title: 'Stand-up', place: channel_id },
    )
    const path = `/control/notes/${recorded.note_id}`
    await ask(`POST ${path}/sessions/${recorded.sessions[0]?.recording_session_id}/end`, { summary: false })
    await ask(`POST ${path}/sessions/${recorded.sessions[0]?.recording_session_id}/end`)
    await ask(`POST ${path}/sessions`)
    await ask(`PATCH ${path}`, { title: 'Stand-up, Monday' })
    await ask(`PATCH ${path}`, '{')
    await ask(`POST ${path}/move`, { place: 'personal' })
    await ask(`GET ${path}`)
    await ask('GET /control/notes?limit=2&search=stand')
    await ask(`DELETE /control/notes/${note_id}`)
    const { fault_id } = await ask('POST /control/faults', { request: 'GET /v1/notes', fault: { kind: 'truncated' } })
    await ask('GET /control/faults')
    await ask(`GET /control/faults/${fault_id}`)
    await ask(`PUT /control/faults/${fault_id}`, { request: 'GET /v1/notes', fault: { kind: 'malformed' } })
    await ask(`DELETE /control/faults/${fault_id}`)
    await ask('DELETE /control/faults')

    await call(service, 'GET /v1/notes?limit=1')
    await ask('GET /control/requests?search=200')
    await ask(`GET /control/requests/${service.requests.at(-1)?.request_id}`)
    await ask('GET /control/requests/req_1')

    const inControl = OPERATIONS.filter(({ template }) => template.startsWith('/control/'))
    for (const { operationId } of inControl) expect(answered).toContain(operationId)
    for (const status of ['200', '201', '202', '204', '400', '404', '409', '422']) expect(answered).toContain(status)
  })

  it('rejects a change from another origin', async () => {
    await using service = await createNotesService()
    await service.listen()
    const refused = await fetch(`${service.baseUrl}/control/notes`, {
      method: 'POST',
      headers: { origin: 'http://evil.test' },
    })
    const body = await refused.json()
    expect(checkAnswer('POST /control/notes', refused.status, body).complaint).toBeUndefined()
    expect([refused.status, body.error.code]).toEqual([403, 'console_refused'])
    expect(service.owner.notes()).toEqual([])
  })

  it('answers 404 to an unknown operation', async () => {
    await using service = await createNotesService()
    await service.listen()
    const missing = await fetch(`${service.baseUrl}/control/elsewhere`)
    expect([missing.status, (await missing.json()).error.code]).toEqual([404, 'operation_unknown'])
  })
})

it('every event matches the AsyncAPI document, without additional fields', async () => {
  await using service = await createNotesService()
  const inbox = anInbox()
  const { endpoint_id } = await service.connect(inbox.open)
  const channel = service.owner.createChannel('Elsewhere')
  const note = service.owner.record().end()
  await service.settled()
  note.edit({ title: 'Another' })
  await service.settled()
  await call(service, `POST /v1/webhook-endpoints/${endpoint_id}/test`)
  service.owner.record().end().moveTo(channel)
  note.delete()
  await service.settled()

  const { messages } = asyncApi.components
  expect(new Set(inbox.received.map(({ event }) => event.event_type))).toEqual(
    new Set(Object.values(messages).map(({ name }) => name)),
  )
  for (const { event, headers } of inbox.received) {
    const [message] = Object.entries(messages).find(([, { name }]) => name === event.event_type) ?? []
    expect(complaintOf(validatorOf(`asyncapi#/components/schemas/${message}`), event)).toBeUndefined()
    expect(complaintOf(validatorOf('asyncapi#/components/schemas/SignatureHeaders'), headers, 'open')).toBeUndefined()
  }
})

interface DocumentedOperation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, DocumentedResponse | { readonly $ref: string }>>
}

interface DocumentedResponse {
  readonly content?: { readonly 'application/json': { readonly schema: { readonly $ref: string } } }
}

const openApi: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly responses: Readonly<Record<string, DocumentedResponse>> }
} = documentOf('openapi.json')
const asyncApi: { readonly components: { readonly messages: Readonly<Record<string, { readonly name: string }>> } } =
  documentOf('asyncapi.json')

const OPERATIONS = Object.entries(openApi.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, { operationId, responses }]) => ({
      operationId,
      template: path,
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      responses,
      statuses: Object.keys(responses).map(Number),
    })),
)

const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))
ajv.addSchema(closed(openApi), 'openapi')
ajv.addSchema(closed(asyncApi), 'asyncapi')

/** Why an answer does not match the document, if it does not. */
function checkAnswer(operation: string, status: number, body: unknown) {
  const [method, target = ''] = operation.split(' ')
  const [path = ''] = target.split('?')
  const documented = OPERATIONS.find((known) => known.method === method && known.path.test(path))
  const response = documented?.responses[status]
  const operationId = documented?.operationId
  if (response === undefined) return { operationId, complaint: `${status} is not documented` }
  const { content } =
    '$ref' in response ? (openApi.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? {}) : response
  const schema = content?.['application/json'].schema.$ref
  if (schema === undefined)
    return { operationId, complaint: body === undefined ? undefined : 'a body is not documented' }
  return { operationId, complaint: complaintOf(validatorOf(`openapi${schema}`), body) }
}

function validatorOf(reference: string): ValidateFunction {
  return ajv.compile({ $ref: reference })
}

function complaintOf(
  validate: ValidateFunction,
  value: unknown,
  additions: 'closed' | 'open' = 'closed',
): string | undefined {
  validate(value)
  const errors = (validate.errors ?? []).filter(
    ({ keyword }) => additions === 'closed' || keyword !== 'additionalProperties',
  )
  return errors.length === 0 ? undefined : ajv.errorsText(errors) + JSON.stringify(errors.map(({ params }) => params))
}

/** The document without additional properties: clients accept unknown fields, but this service sends none. */
function closed(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (_key, part) =>
    typeof part === 'object' && part !== null && 'properties' in part && typeof part.properties === 'object'
      ? { ...part, additionalProperties: false }
      : part,
  )
}

function documentOf<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))
}
