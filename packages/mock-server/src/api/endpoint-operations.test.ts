import type { WebhookEndpoint, WebhookEndpointWithSecret } from '@notewire/protocol'
import { webhookEndpointSchema, webhookEndpointWithSecretSchema } from '@notewire/protocol/schemas'
import { describe, expect, it } from 'vitest'
import { call, refusal } from '../../fixtures/call.ts'
import { anInbox } from '../../fixtures/inbox.ts'
import { createNotesService } from '../service/create-notes-service.ts'

const anEndpoint = { url: 'https://receiver.invalid/webhooks/notes', events: ['note.ended', 'note.deleted'] }

describe('POST /v1/webhook-endpoints', () => {
  it('creates an endpoint with the status pending_verification, and returns its secret (§2, §4, row 13)', async () => {
    await using service = await createNotesService()
    const { status, body } = await call(service, 'POST /v1/webhook-endpoints', { body: anEndpoint })
    expect(status).toBe(201)
    expect(body).toEqual({
      endpoint_id: expect.stringMatching(/^whe_\w+$/),
      ...anEndpoint,
      status: 'pending_verification',
      created_at: '2026-01-01T00:00:00.000Z',
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9_-]{43}$/),
    })
    expect(webhookEndpointWithSecretSchema.parse(body).url).toBe(anEndpoint.url)
  })

  it.each([
    ['a list', []],
    ['no url', { events: ['note.ended'] }],
    ['a relative url', { ...anEndpoint, url: '/webhooks' }],
    ['a url of another scheme', { ...anEndpoint, url: 'ftp://a.test/' }],
    ['a url with a password', { ...anEndpoint, url: 'https://me:secret@a.test/' }],
    ['no events', { url: anEndpoint.url }],
    ['an empty list of events', { ...anEndpoint, events: [] }],
    ['events that are not a list', { ...anEndpoint, events: 'note.ended' }],
    ['an unknown event', { ...anEndpoint, events: ['note.ended', 'note.exploded'] }],
    ['an endpoint event', { ...anEndpoint, events: ['endpoint.test'] }],
    ['an event that is not a string', { ...anEndpoint, events: [1] }],
    ['an unknown field', { ...anEndpoint, evnts: [] }],
  ])('answers 422 to %s (§4, row 11)', async (_, body) => {
    await using service = await createNotesService()
    expect(await refusal(call(service, 'POST /v1/webhook-endpoints', { body }))).toEqual([422, 'invalid_body'])
    expect((await call(service, 'GET /v1/webhook-endpoints')).body).toEqual({ webhook_endpoints: [] })
  })

  it('accepts an http URL, for development', async () => {
    await using service = await createNotesService()
    const body = { ...anEndpoint, url: 'http://localhost:1/webhooks' }
    expect((await call(service, 'POST /v1/webhook-endpoints', { body })).status).toBe(201)
  })
})

describe('GET /v1/webhook-endpoints', () => {
  it('lists the endpoints of the integration, without their secrets (§2, §8, row 14)', async () => {
    await using service = await createNotesService()
    const created = await call<WebhookEndpointWithSecret>(service, 'POST /v1/webhook-endpoints', { body: anEndpoint })
    const { signing_secret, ...shown } = created.body
    const list = await call(service, 'GET /v1/webhook-endpoints')
    const one = await call(service, `GET /v1/webhook-endpoints/${shown.endpoint_id}`)
    expect(list.body).toEqual({ webhook_endpoints: [shown] })
    expect(one.body).toEqual(shown)
    expect(webhookEndpointSchema.parse(one.body).endpoint_id).toBe(shown.endpoint_id)
    expect(JSON.stringify([list.body, one.body])).not.toContain(signing_secret)
  })

  it('returns the endpoints of the integration to all of its keys, and to no other key (row 14)', async () => {
    await using service = await createNotesService()
    const integration = service.owner.createIntegration()
    const [one, two, stranger] = [integration.issueKey().key, integration.issueKey().key, service.apiKey]
    const created = await call<WebhookEndpoint>(service, 'POST /v1/webhook-endpoints', { body: anEndpoint, key: one })
    const operation = `/v1/webhook-endpoints/${created.body.endpoint_id}`
    expect((await call(service, `GET ${operation}`, { key: two })).status).toBe(200)
    expect((await call(service, 'GET /v1/webhook-endpoints', { key: stranger })).body).toEqual({
      webhook_endpoints: [],
    })
    for (const hidden of ['GET ', 'PATCH ', 'DELETE ', 'POST /test', 'POST /rotate-secret']) {
      const refused = call(service, hidden.replace(' ', ` ${operation}`), { key: stranger })
      expect(await refusal(refused)).toEqual([404, 'not_found'])
    }
  })
})

describe('PATCH /v1/webhook-endpoints/{endpoint_id}', () => {
  it('changes the event kinds (row 14)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const { endpoint_id } = await service.connect(inbox.open, { events: ['note.ended'] })
    const { status, body } = await call(service, `PATCH /v1/webhook-endpoints/${endpoint_id}`, {
      body: { events: ['note.summary.generated'] },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ endpoint_id, events: ['note.summary.generated'], status: 'active' })
    service.owner.record().end()
    await service.settled()
    expect(inbox.kinds).toEqual(['note.summary.generated'])
  })

  it('verifies an endpoint again when its URL is set, even to the same one (row 14)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const { endpoint_id, url } = await service.connect(inbox.open)
    const patched = await call(service, `PATCH /v1/webhook-endpoints/${endpoint_id}`, { body: { url } })
    expect(patched.body).toMatchObject({ status: 'pending_verification' })
    await service.settled()
    expect((await call(service, `GET /v1/webhook-endpoints/${endpoint_id}`)).body).toMatchObject({ status: 'active' })
    expect(inbox.received.map(({ event }) => event.event_type)).toEqual([
      'endpoint.verification',
      'endpoint.verification',
    ])
  })

  it('with status active has no effect on an active endpoint, and verifies any other endpoint again', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const active = await service.connect(inbox.open)
    const patch = (endpoint_id: string) =>
      call(service, `PATCH /v1/webhook-endpoints/${endpoint_id}`, { body: { status: 'active' } })
    expect((await patch(active.endpoint_id)).body).toMatchObject({ status: 'active' })
    expect(inbox.received).toHaveLength(1)

    const failing = anInbox(() => 500)
    const pending = await service.connect(failing.open)
    failing.answer = () => 204
    expect((await patch(pending.endpoint_id)).body).toMatchObject({ status: 'pending_verification' })
    await service.clock.advance(0)
    expect((await patch(pending.endpoint_id)).body).toMatchObject({ status: 'active' })
  })

  it.each([
    ['an unknown status', { status: 'disabled' }],
    ['an empty list of events', { events: [] }],
    ['a malformed url', { url: 'receiver' }],
    ['an unknown field', { secret: 'mine' }],
  ])('answers 422 to %s, and changes nothing', async (_, body) => {
    await using service = await createNotesService()
    const { endpoint_id } = await service.connect(anInbox().open)
    const operation = `/v1/webhook-endpoints/${endpoint_id}`
    const before = await call(service, `GET ${operation}`)
    expect(await refusal(call(service, `PATCH ${operation}`, { body }))).toEqual([422, 'invalid_body'])
    expect((await call(service, `GET ${operation}`)).body).toEqual(before.body)
  })
})

describe('DELETE /v1/webhook-endpoints/{endpoint_id}', () => {
  it('answers 204, and the service sends no more events or retries (row 14)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const { endpoint_id } = await service.connect(inbox.open)
    inbox.answer = () => 500
    service.owner.record().end({ summary: false })
    await service.clock.advance('1s')
    expect((await call(service, `DELETE /v1/webhook-endpoints/${endpoint_id}`)).status).toBe(204)
    expect(await refusal(call(service, `GET /v1/webhook-endpoints/${endpoint_id}`))).toEqual([404, 'not_found'])
    service.owner.record().end({ summary: false })
    await service.clock.advance('40h')
    expect(inbox.kinds).toEqual(['note.ended'])
    expect(service.deliveries.at(-1)).toMatchObject({ event_type: 'note.ended', status: 'lost', attempts: 1 })
  })
})

describe('POST /v1/webhook-endpoints/{endpoint_id}/test', () => {
  it('answers 202 and sends endpoint.test, to which no endpoint subscribes (§4, §6)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const { endpoint_id } = await service.connect(inbox.open, { events: ['note.ended'] })
    expect((await call(service, `POST /v1/webhook-endpoints/${endpoint_id}/test`)).status).toBe(202)
    await service.settled()
    expect(inbox.received.at(-1)?.event).toMatchObject({ event_type: 'endpoint.test', data: { endpoint_id } })
  })

  it('also sends it to an endpoint that is not verified, and does not verify it (§3)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox(({ event }) => (event.event_type === 'endpoint.test' ? 204 : 500))
    const { endpoint_id } = await service.connect(inbox.open)
    await call(service, `POST /v1/webhook-endpoints/${endpoint_id}/test`)
    await service.clock.advance(0)
    expect(inbox.received.at(-1)?.event.event_type).toBe('endpoint.test')
    const { body } = await call(service, `GET /v1/webhook-endpoints/${endpoint_id}`)
    expect(body).toMatchObject({ status: 'pending_verification' })
  })
})
