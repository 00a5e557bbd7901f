import { describe, expect, it } from 'vitest'
import { call, refusal } from '../../fixtures/call.ts'
import { anInbox } from '../../fixtures/inbox.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { Delivery } from './delivery.ts'

/** A service that has delivered one note.ended. */
async function aDelivery() {
  const service = await createNotesService()
  const inbox = anInbox()
  const { endpoint_id } = await service.connect(inbox.open)
  service.owner.record().end({ summary: false })
  await service.settled()
  const { delivery_id } = service.deliveries.at(-1) as Delivery
  const operation = replayOf(endpoint_id, delivery_id)
  return { service, inbox, endpoint_id, delivery_id, operation, [Symbol.asyncDispose]: () => service.close() }
}

const replayOf = (endpoint_id: string, delivery_id: string) =>
  `POST /v1/webhook-endpoints/${endpoint_id}/deliveries/${delivery_id}/replay`

const statusOf = async (service: NotesService, operation: string) => (await call(service, operation)).status

describe('a replay', () => {
  it('delivers the same event with a new webhook-id (§6, row 14, row 19)', async () => {
    await using setup = await aDelivery()
    const { status, body } = await call(setup.service, setup.operation)
    expect([status, body]).toEqual([202, { delivery_id: expect.stringMatching(/^dlv_/) }])
    await setup.service.settled()
    const [, first, again] = setup.inbox.received
    expect(again?.body).toBe(first?.body)
    expect(again?.headers['webhook-id']).not.toBe(first?.headers['webhook-id'])
    expect(setup.service.deliveries.at(-1)).toMatchObject({
      replay_of: setup.delivery_id,
      status: 'delivered',
      attempts: 1,
    })
  })

  it('is retried like any delivery', async () => {
    await using setup = await aDelivery()
    setup.inbox.answer = () => 500
    await call(setup.service, setup.operation)
    await setup.service.settled()
    expect(setup.service.deliveries.at(-1)).toMatchObject({ status: 'given_up', attempts: 7 })
  })

  it('answers 404 for a delivery that is unknown or of another endpoint', async () => {
    await using setup = await aDelivery()
    const other = await setup.service.connect(anInbox().open)
    expect(await statusOf(setup.service, replayOf(setup.endpoint_id, 'dlv_1'))).toBe(404)
    expect(await statusOf(setup.service, replayOf(other.endpoint_id, setup.delivery_id))).toBe(404)
  })

  it('answers 409 if the endpoint is not active', async () => {
    await using setup = await aDelivery()
    setup.inbox.answer = () => 500
    const { url } = setup.service.attempts[0] ?? {}
    await call(setup.service, `PATCH /v1/webhook-endpoints/${setup.endpoint_id}`, { body: { url } })
    expect(await refusal(call(setup.service, setup.operation))).toEqual([409, 'endpoint_not_active'])
  })
})
