import type { WebhookEndpoint } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { anInbox, type Inbox, toNotes } from '../../fixtures/inbox.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { ContractVariants } from '../variants/contract-variants.ts'

interface Failing extends AsyncDisposable {
  readonly service: NotesService
  readonly inbox: Inbox
  readonly endpoint_id: string
  /** Ends this number of notes. The first attempt of each delivery fails. */
  readonly fail: (notes: number) => Promise<void>
  readonly status: () => Promise<unknown>
  readonly enable: () => Promise<unknown>
}

async function aFailingEndpoint(contract: ContractVariants = {}): Promise<Failing> {
  const service = await createNotesService({ contract })
  const inbox = anInbox(toNotes(() => 500))
  const { endpoint_id } = await service.connect(inbox.open)
  const operation = `/v1/webhook-endpoints/${endpoint_id}`
  return {
    service,
    inbox,
    endpoint_id,
    async fail(notes) {
      for (let note = 0; note < notes; note++) service.owner.record().end({ summary: false })
      await service.clock.advance(0)
    },
    status: async () => (await call<WebhookEndpoint>(service, `GET ${operation}`)).body.status,
    enable: async () => {
      const { body } = await call<WebhookEndpoint>(service, `PATCH ${operation}`, { body: { status: 'active' } })
      return body.status
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

describe('an endpoint with many consecutive failures', () => {
  it('is disabled by the 20th failed attempt, not by the 19th (§3, §8, row 15, row 16)', async () => {
    await using setup = await aFailingEndpoint()
    await setup.fail(19)
    expect(await setup.status()).toBe('active')
    await setup.fail(1)
    expect(await setup.status()).toBe('disabled')
  })

  it('counts from 0 again after a 2xx (row 16)', async () => {
    await using setup = await aFailingEndpoint()
    await setup.fail(19)
    setup.inbox.answer = () => 204
    await setup.fail(1)
    setup.inbox.answer = toNotes(() => 500)
    await setup.fail(19)
    expect(await setup.status()).toBe('active')
    await setup.fail(1)
    expect(await setup.status()).toBe('disabled')
  })

  it('loses the retries that are due while it is disabled, and is sent no new events (§3, row 16)', async () => {
    await using setup = await aFailingEndpoint()
    await setup.fail(20)
    await setup.fail(1)
    await setup.service.settled()
    expect(setup.inbox.kinds).toHaveLength(20)
    expect(setup.service.deliveries.filter(({ status }) => status === 'lost')).toHaveLength(20)
  })

  it('is verified again when it is enabled, and then gets the retries that are not yet due (row 16)', async () => {
    await using setup = await aFailingEndpoint()
    await setup.fail(20)
    await setup.service.clock.advance('10s')
    setup.inbox.answer = () => 204
    expect(await setup.enable()).toBe('pending_verification')
    await setup.service.clock.advance(0)
    expect(await setup.status()).toBe('active')
    expect(setup.inbox.received.at(-1)?.event.event_type).toBe('endpoint.verification')
    await setup.service.clock.advance('20s')
    expect(setup.service.deliveries.filter(({ status }) => status === 'delivered')).toHaveLength(20 + 2)
  })

  it('is disabled again only after the same number of failures', async () => {
    await using setup = await aFailingEndpoint()
    await setup.fail(20)
    await setup.enable()
    await setup.service.clock.advance(0)
    await setup.fail(19)
    expect(await setup.status()).toBe('active')
  })

  it('can still be sent endpoint.test', async () => {
    await using setup = await aFailingEndpoint()
    await setup.fail(20)
    await call(setup.service, `POST /v1/webhook-endpoints/${setup.endpoint_id}/test`)
    await setup.service.clock.advance(0)
    expect(setup.inbox.received.at(-1)?.event.event_type).toBe('endpoint.test')
    expect(await setup.status()).toBe('disabled')
  })
})

describe('a contract variant', () => {
  it('disables after another number of failures, and names the state differently (row 15, row 16)', async () => {
    await using setup = await aFailingEndpoint({ disableAfter: 3, disabledState: 'suspended' })
    await setup.fail(2)
    expect(await setup.status()).toBe('active')
    await setup.fail(1)
    expect(await setup.status()).toBe('suspended')
  })

  it('never disables', async () => {
    await using setup = await aFailingEndpoint({ disableAfter: 'never' })
    await setup.fail(100)
    await setup.service.settled()
    expect(await setup.status()).toBe('active')
  })

  it('counts only deliveries whose attempts are exhausted (row 16)', async () => {
    await using setup = await aFailingEndpoint({ disableAfter: 2, disableCounts: 'deliveries' })
    await setup.fail(1)
    await setup.service.settled()
    expect(await setup.status()).toBe('active')
    await setup.fail(1)
    await setup.service.clock.advance('2h36m')
    expect(await setup.status()).toBe('active')
    await setup.service.settled()
    expect(await setup.status()).toBe('disabled')
  })
})

describe('events about notes while an endpoint is not active', () => {
  it('are queued with whileInactive: queued, and sent once it is active (row 17)', async () => {
    await using setup = await aFailingEndpoint({ whileInactive: 'queued', disableAfter: 3 })
    await setup.fail(5)
    await setup.service.clock.advance('10m')
    expect(await setup.status()).toBe('disabled')
    expect(setup.inbox.kinds).toHaveLength(5)
    setup.inbox.answer = () => 204
    await setup.enable()
    await setup.service.settled()
    expect(await setup.status()).toBe('active')
    expect(new Set(setup.inbox.received.flatMap(({ event }) => event.event_id)).size).toBe(1 + 5 + 1)
    expect(setup.service.deliveries.map(({ status }) => status)).toEqual(Array(7).fill('delivered'))
  })

  it('are also queued before the first verification (row 17)', async () => {
    await using service = await createNotesService({ contract: { whileInactive: 'queued' } })
    const inbox = anInbox(() => 503)
    await service.connect(inbox.open)
    service.owner.record().end({ summary: false })
    await service.clock.advance('1s')
    inbox.answer = () => 204
    await service.settled()
    expect(inbox.kinds).toEqual(['note.ended'])
  })
})
