import { describe, expect, it } from 'vitest'
import { call, refusal } from '../fixtures/call.ts'
import { anInbox } from '../fixtures/inbox.ts'
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
    await using world = await aDelivery()
    const { status, body } = await call(world.service, world.operation)
    expect([status, body]).toEqual([202, { delivery_id: expect.stringMatching(/^dlv_/) }])
    await world.service.settled()
    const [, first, again] = world.inbox.received
    expect(again?.body).toBe(first?.body)
    expect(again?.headers['webhook-id']).not.toBe(first?.headers['webhook-id'])
    expect(world.service.deliveries.at(-1)).toMatchObject({
      replay_of: world.delivery_id,
      status: 'delivered',
      attempts: 1,
    })
  })

  it('is retried like any delivery', async () => {
    await using world = await aDelivery()
    world.inbox.answer = () => 500
    await call(world.service, world.operation)
    await world.service.settled()
    expect(world.service.deliveries.at(-1)).toMatchObject({ status: 'given_up', attempts: 7 })
  })

  it('answers 404 for a delivery that is unknown or of another endpoint', async () => {
    await using world = await aDelivery()
    const other = await world.service.connect(anInbox().open)
    expect(await statusOf(world.service, replayOf(world.endpoint_id, 'dlv_1'))).toBe(404)
    expect(await statusOf(world.service, replayOf(other.endpoint_id, world.delivery_id))).toBe(404)
  })

  it('answers 409 if the endpoint is not active', async () => {
    await using world = await aDelivery()
    world.inbox.answer = () => 500
    const { url } = world.service.attempts[0] ?? {}
    await call(world.service, `PATCH /v1/webhook-endpoints/${world.endpoint_id}`, { body: { url } })
    expect(await refusal(call(world.service, world.operation))).toEqual([409, 'endpoint_not_active'])
  })
})
