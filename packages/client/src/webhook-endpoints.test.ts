import { describe, expect, it } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
import { API_KEY, shownBy } from '../fixtures/secrets.ts'
import { serve, type WireAnswer } from '../fixtures/wire-server.ts'
import { NotesClient } from './notes-client.ts'
import type { WebhookEndpoints } from './webhook-endpoints.ts'

const ENDPOINT = {
  endpoint_id: 'e1',
  url: 'https://app.example/hooks',
  events: ['note.ended'],
  status: 'pending_verification',
  created_at: '2026-01-01T00:00:00Z',
}
const SECRET = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAA'
const REGISTRATION = { url: ENDPOINT.url, events: ENDPOINT.events }

describe('an operation on webhook endpoints', () => {
  it.each<[string, (endpoints: WebhookEndpoints) => Promise<unknown>, WireAnswer, object, unknown]>([
    [
      'create',
      (endpoints) => endpoints.create(REGISTRATION),
      { status: 201, body: { ...ENDPOINT, signing_secret: SECRET } },
      { method: 'POST', url: '/v1/webhook-endpoints', body: JSON.stringify(REGISTRATION) },
      { ...ENDPOINT, signing_secret: SECRET },
    ],
    [
      'get',
      (endpoints) => endpoints.get('e1'),
      { status: 200, body: ENDPOINT },
      { method: 'GET', url: '/v1/webhook-endpoints/e1', body: '' },
      ENDPOINT,
    ],
    [
      'update',
      (endpoints) => endpoints.update('e1', { events: ['note.deleted'], status: 'active' }),
      { status: 200, body: ENDPOINT },
      { method: 'PATCH', url: '/v1/webhook-endpoints/e1', body: '{"events":["note.deleted"],"status":"active"}' },
      ENDPOINT,
    ],
    [
      'delete',
      (endpoints) => endpoints.delete('e1'),
      { status: 204 },
      { method: 'DELETE', url: '/v1/webhook-endpoints/e1', body: '' },
      undefined,
    ],
    [
      'sendTest',
      (endpoints) => endpoints.sendTest('e1'),
      { status: 202, body: 'on its way' },
      { method: 'POST', url: '/v1/webhook-endpoints/e1/test', body: '' },
      undefined,
    ],
    [
      'rotateSecret',
      (endpoints) => endpoints.rotateSecret('e1'),
      { status: 200, body: { endpoint_id: 'e1', signing_secret: SECRET } },
      { method: 'POST', url: '/v1/webhook-endpoints/e1/rotate-secret', body: '' },
      { endpoint_id: 'e1', signing_secret: SECRET },
    ],
  ])('%s sends the request of the contract, and returns the response', async (_, call, answer, request, result) => {
    await using server = await serve(() => answer)
    expect(await call(endpointsOf(server))).toEqual(result)
    expect(server.requests).toMatchObject([request])
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`)
    if (server.requests[0]?.body !== '') expect(server.requests[0]?.headers['content-type']).toBe('application/json')
  })

  it.each([
    ['webhook_endpoints', { webhook_endpoints: [ENDPOINT] }],
    ['endpoints', { endpoints: [ENDPOINT] }],
    ['nothing around it', [ENDPOINT]],
  ])('list, with %s', async (_, body) => {
    await using server = await serve(() => ({ status: 200, body }))
    expect(await endpointsOf(server).list()).toEqual([ENDPOINT])
    expect(server.requests).toMatchObject([{ method: 'GET', url: '/v1/webhook-endpoints' }])
  })

  it.each([
    ['webhook_endpoints', { items: [ENDPOINT] }],
    ['webhook_endpoints', 'null'],
  ])('names the path %s of an invalid list', async (path, body) => {
    await using server = await serve(() => ({ status: 200, body }))
    expect(await errorOf(endpointsOf(server).list())).toMatchObject({ code: 'invalid_response', path })
  })

  it('throws an error for a creation without a secret, and never shows a secret in an error', async () => {
    await using server = await serve((_, count) => ({
      status: 201,
      body: count === 1 ? ENDPOINT : { url: ENDPOINT.url, signing_secret: SECRET },
    }))
    const create = () => errorOf(endpointsOf(server).create(REGISTRATION))
    expect(await create()).toMatchObject({ code: 'invalid_response', path: 'signing_secret' })
    const error = await create()
    expect(error).toMatchObject({ code: 'invalid_response', path: 'endpoint_id' })
    expect(shownBy(error)).not.toContain(SECRET)
  })
})

describe('a service without an operation on webhook endpoints', () => {
  it.each<[string, WireAnswer]>([
    ['404 and HTML', { status: 404, body: '<h1>Not found</h1>' }],
    ['404 and nothing', { status: 404 }],
    ['404 and another code', { status: 404, body: { error: { code: 'no_such_route', message: '' } } }],
    ['405', { status: 405 }],
    ['501', { status: 501, body: { error: { code: 'not_implemented', message: '' } } }],
  ])('that answers %s throws not_supported', async (_, answer) => {
    await using server = await serve(() => answer)
    const endpoints = endpointsOf(server)
    for (const [operation, call] of [
      ['GET /v1/webhook-endpoints', () => endpoints.list()],
      ['GET /v1/webhook-endpoints/{endpoint_id}', () => endpoints.get('e1')],
      ['PATCH /v1/webhook-endpoints/{endpoint_id}', () => endpoints.update('e1', {})],
      ['DELETE /v1/webhook-endpoints/{endpoint_id}', () => endpoints.delete('e1')],
      ['POST /v1/webhook-endpoints/{endpoint_id}/test', () => endpoints.sendTest('e1')],
      ['POST /v1/webhook-endpoints/{endpoint_id}/rotate-secret', () => endpoints.rotateSecret('e1')],
    ] as const) {
      const error = await errorOf(call())
      expect(error).toMatchObject({ code: 'not_supported', operation })
      expect(String(error)).toMatch(/does not support the operation, or the id does not exist/)
    }
  })

  it('throws not_found if a 404 has the code not_found', async () => {
    await using server = await serve(() => ({ status: 404, body: { error: { code: 'not_found', message: '' } } }))
    expect(await errorOf(endpointsOf(server).get('e9'))).toMatchObject({ code: 'not_found' })
  })
})

describe('the deletion of an endpoint', () => {
  it('succeeds if only the response to an earlier attempt was lost', async () => {
    await using server = await serve((_, count) =>
      count === 1
        ? (response) => response.destroy()
        : { status: 404, body: { error: { code: 'not_found', message: '' } } },
    )
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, maxRetries: 1 })
    await client.webhookEndpoints.delete('e1')
    expect(server.requests).toHaveLength(2)
  })
})

describe('an invalid id', () => {
  it.each(['', '.', '..'])('is refused without a request: %j', async (endpointId) => {
    await using server = await serve(() => ({ status: 204 }))
    const endpoints = endpointsOf(server)
    for (const operation of ['get', 'update', 'delete', 'sendTest', 'rotateSecret'] as const) {
      expect(await errorOf(endpoints[operation](endpointId, {}))).toMatchObject({ option: 'endpoint_id' })
    }
    expect(server.requests).toEqual([])
  })
})

function endpointsOf(server: { readonly baseUrl: string }): WebhookEndpoints {
  return new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, maxRetries: 0 }).webhookEndpoints
}
