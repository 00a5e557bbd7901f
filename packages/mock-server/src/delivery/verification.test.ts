import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { anInbox } from '../../fixtures/inbox.ts'
import { verified } from '../../fixtures/verified.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'

const statusOf = async (service: NotesService, { endpoint_id }: { readonly endpoint_id: string }) =>
  (await call<{ readonly status: string }>(service, `GET /v1/webhook-endpoints/${endpoint_id}`)).body.status

describe('the verification of an endpoint', () => {
  it('is sent right after the creation, signed with the new secret, and a 2xx answer activates the endpoint (§3, §6, row 11, row 27)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const endpoint = await service.connect(inbox.open)
    expect(endpoint.status).toBe('active')
    const [verification] = inbox.received
    expect(verification?.event).toEqual({
      event_id: expect.any(String),
      event_type: 'endpoint.verification',
      occurred_at: '2026-01-01T00:00:00.000Z',
      data: { endpoint_id: endpoint.endpoint_id },
    })
    expect(verification && verified(verification, endpoint.signing_secret, service.clock.now())).toBeDefined()
  })

  it('is retried like any delivery, and the endpoint stays pending until it succeeds (§3, row 27)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox(() => 404)
    const endpoint = await service.connect(inbox.open)
    expect(endpoint.status).toBe('pending_verification')
    inbox.answer = () => 200
    await service.clock.advance(29_999)
    expect(await statusOf(service, endpoint)).toBe('pending_verification')
    await service.clock.advance(1)
    expect(await statusOf(service, endpoint)).toBe('active')
  })

  it('is given up after 7 attempts, and the endpoint stays pending', async () => {
    await using service = await createNotesService()
    const endpoint = await service.connect(anInbox(() => 500).open)
    await service.settled()
    expect(service.deliveries).toMatchObject([{ status: 'given_up', attempts: 7 }])
    expect(await statusOf(service, endpoint)).toBe('pending_verification')
  })

  it('with verification: before_response is sent before the secret is known, and activates at the retry after 30 s (row 27)', async () => {
    await using service = await createNotesService({ contract: { verification: 'before_response' } })
    const inbox = anInbox()
    const endpoint = await service.connect(inbox.open)
    expect(inbox.received).toEqual([])
    expect(service.attempts).toMatchObject([{ outcome: { kind: 'answered', status: 503 } }])
    expect(endpoint.status).toBe('pending_verification')
    await service.clock.advance('30s')
    expect(inbox.received).toHaveLength(1)
    expect(await statusOf(service, endpoint)).toBe('active')
  })

  it('goes to the new URL after a change, and only the answer from there activates (§3, row 18)', async () => {
    await using service = await createNotesService()
    const [old, next] = [anInbox(() => 500), anInbox()]
    const moved = await service.connect(old.open)
    const { url } = await service.connect(next.open)
    await call(service, `PATCH /v1/webhook-endpoints/${moved.endpoint_id}`, { body: { url } })
    expect(await statusOf(service, moved)).toBe('pending_verification')
    await service.clock.advance(0)
    expect(await statusOf(service, moved)).toBe('active')
    await service.settled()
    expect(old.received).toHaveLength(1)
    expect(service.deliveries.map(({ status }) => status)).toEqual(['lost', 'delivered', 'delivered'])
  })

  it('has no effect if the URL is changed before it is answered', async () => {
    await using service = await createNotesService()
    const late = Promise.withResolvers<number>()
    const answers: (() => number | Promise<number>)[] = [() => 204, () => late.promise, () => 500]
    const inbox = anInbox(() => (answers.shift() ?? (() => 500))())
    const { endpoint_id, url } = await service.connect(inbox.open)
    const change = () => call(service, `PATCH /v1/webhook-endpoints/${endpoint_id}`, { body: { url } })
    await change()
    await expect.poll(() => inbox.received.length).toBe(2)
    await change()
    late.resolve(204)
    await service.clock.advance(0)
    expect(inbox.received).toHaveLength(3)
    expect(await statusOf(service, { endpoint_id })).toBe('pending_verification')
  })
})
