import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { anInbox, never } from '../../fixtures/inbox.ts'
import { createNotesService } from '../service/create-notes-service.ts'

describe('connecting a receiver', () => {
  it('registers an endpoint with an https URL, passes its secret, and resolves when it is verified', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const endpoint = await service.connect(inbox.open)
    expect(endpoint).toMatchObject({
      status: 'active',
      url: expect.stringMatching(/^https:/),
      signing_secret: inbox.secret,
    })
    const { signing_secret, ...shown } = endpoint
    expect((await call(service, `GET /v1/webhook-endpoints/${endpoint.endpoint_id}`)).body).toEqual(shown)
    expect(inbox.received[0]?.url).toBe(endpoint.url)
    expect(signing_secret).toMatch(/^whsec_/)
  })

  it('subscribes to every kind, or to the given ones', async () => {
    await using service = await createNotesService()
    const all = await service.connect(anInbox().open)
    const some = await service.connect(anInbox().open, { events: ['note.deleted'] })
    expect(all.events).toEqual(['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'])
    expect(some.events).toEqual(['note.deleted'])
    expect(some.url).not.toBe(all.url)
  })

  it('throws an error with the reason of the API', async () => {
    await using service = await createNotesService()
    const { key } = service.owner.createIntegration().issueKey({ scopes: ['notes:read'] })
    const refused = service.connect(anInbox().open, { apiKey: key })
    await expect(refused).rejects.toMatchObject({ code: 'endpoint_refused' })
    await expect(refused).rejects.toThrow('insufficient_scope')
    await expect(refused).rejects.not.toThrow(key)
    await expect(service.connect(anInbox().open, { evnts: [] } as never)).rejects.toThrow('evnts')
  })

  it('resolves after the timeout of the verification if the receiver hangs', async () => {
    await using service = await createNotesService()
    const endpoint = await service.connect(anInbox(never).open)
    expect(endpoint.status).toBe('pending_verification')
    expect(service.attempts).toMatchObject([{ outcome: { kind: 'timed_out' } }])
  })

  it('works under real time', async () => {
    await using service = await createNotesService({ clock: 'real' })
    const inbox = anInbox()
    expect((await service.connect(inbox.open)).status).toBe('active')
    service.owner.record().end({ summary: false })
    await service.settled()
    expect(inbox.kinds).toEqual(['note.ended'])
  })
})
