import type { WebhookEndpointWithSecret } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { anInbox, type Received } from '../../fixtures/inbox.ts'
import { isVerified } from '../../fixtures/verified.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'

const rotate = async (service: NotesService, endpoint_id: string) =>
  (await call<WebhookEndpointWithSecret>(service, `POST /v1/webhook-endpoints/${endpoint_id}/rotate-secret`)).body
    .signing_secret

const verifying = (secrets: readonly string[], received: Received | undefined, now: number) =>
  secrets.filter((secret) => isVerified(received, secret, now))

describe('rotating the secret of an endpoint', () => {
  it('returns the endpoint with its new secret, which no other operation returns (row 13)', async () => {
    await using service = await createNotesService()
    const { endpoint_id, signing_secret } = await service.connect(anInbox().open)
    const operation = `/v1/webhook-endpoints/${endpoint_id}`
    const { status, body } = await call(service, `POST ${operation}/rotate-secret`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ endpoint_id, status: 'active', signing_secret: expect.stringMatching(/^whsec_/) })
    expect(body).not.toMatchObject({ signing_secret })
    expect((await call(service, `GET ${operation}`)).body).not.toHaveProperty('signing_secret')
  })

  it('signs with the old secret and the new one for 24 h, and then with the new one only (row 14)', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const { endpoint_id, signing_secret: old } = await service.connect(inbox.open)
    const fresh = await rotate(service, endpoint_id)
    const verifyingNow = async () => {
      service.owner.record().end({ summary: false })
      await service.clock.advance(0)
      return verifying([old, fresh], inbox.received.at(-1), service.clock.now())
    }
    expect(await verifyingNow()).toEqual([old, fresh])
    expect(inbox.received.at(-1)?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
    await service.clock.advance(24 * 60 * 60 * 1000 - 1)
    expect(await verifyingNow()).toEqual([old, fresh])
    await service.clock.advance(1)
    expect(await verifyingNow()).toEqual([fresh])
  })

  it('twice within a day signs with all three', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const { endpoint_id, signing_secret } = await service.connect(inbox.open)
    const secrets = [signing_secret, await rotate(service, endpoint_id), await rotate(service, endpoint_id)]
    service.owner.record().end({ summary: false })
    await service.settled()
    expect(verifying(secrets, inbox.received.at(-1), service.clock.now())).toEqual(secrets)
  })
})
