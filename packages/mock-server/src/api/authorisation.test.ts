import { keyIdOf, type NotePage, type Scope } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { createNotesService } from '../service/create-notes-service.ts'

describe('an API key', () => {
  it('has the form <prefix>_live_{key_id}.{secret} (§2, row 24)', async () => {
    await using service = await createNotesService()
    const issued = service.owner.createIntegration().issueKey()
    expect(service.apiKey).toMatch(/^ntw_live_[A-Za-z0-9]+\.[A-Za-z0-9]+$/)
    expect(keyIdOf(issued.key)).toBe(issued.key_id)
  })

  it('is returned in full only when it is issued (§2)', async () => {
    await using service = await createNotesService({ notes: 1 })
    const integration = service.owner.createIntegration()
    const { key } = integration.issueKey()
    const { endpoint_id } = await service.connect(() => () => new Response(), { apiKey: key })
    const answers = ['GET /v1/notes', 'GET /v1/webhook-endpoints', `GET /v1/webhook-endpoints/${endpoint_id}`]
    const shown = await Promise.all(answers.map((operation) => call(service, operation, { key })))
    const { requests, attempts, deliveries } = service
    const [, secret = ''] = key.split('.')
    expect(JSON.stringify([shown, requests, attempts, deliveries, integration])).not.toContain(secret)
  })

  it.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic abc' }],
    ['an unknown key', { authorization: 'Bearer ntw_live_abc.def' }],
    ['an empty key', { authorization: 'Bearer ' }],
  ])('is required: %s answers 401 (§4, §5, row 22)', async (_, headers) => {
    await using service = await createNotesService()
    const response = await service.fetch(new Request(`${service.baseUrl}/v1/notes`, { headers }))
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ error: { code: 'unauthorized', message: expect.any(String) } })
  })

  it.each<[string, Scope]>([
    ['GET /v1/notes', 'notes:read'],
    ['GET /v1/notes/{note_id}', 'notes:read'],
    ['GET /v1/notes/{note_id}/transcript', 'transcripts:read'],
    ['GET /v1/notes/{note_id}/summary', 'summaries:read'],
    ['GET /v1/webhook-endpoints', 'webhooks:manage'],
    ['POST /v1/webhook-endpoints', 'webhooks:manage'],
    ['GET /v1/webhook-endpoints/{endpoint_id}', 'webhooks:manage'],
    ['PATCH /v1/webhook-endpoints/{endpoint_id}', 'webhooks:manage'],
    ['DELETE /v1/webhook-endpoints/{endpoint_id}', 'webhooks:manage'],
    ['POST /v1/webhook-endpoints/{endpoint_id}/test', 'webhooks:manage'],
    ['POST /v1/webhook-endpoints/{endpoint_id}/rotate-secret', 'webhooks:manage'],
    ['POST /v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay', 'webhooks:manage'],
  ])('for %s needs the scope %s and no other (§1, §2, §5, row 22, row 23)', async (operation, scope) => {
    await using service = await createNotesService({ notes: 1 })
    const integration = service.owner.createIntegration()
    const scopes: Scope[] = ['notes:read', 'transcripts:read', 'summaries:read', 'webhooks:manage']
    const without = integration.issueKey({ scopes: scopes.filter((other) => other !== scope) })
    const refused = await call(service, operation, { key: without.key })
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual({ error: { code: 'insufficient_scope', message: expect.any(String), scope } })

    const only = integration.issueKey({ scopes: [scope] })
    expect((await call(service, operation, { key: only.key })).status).not.toBe(403)
  })

  it('accesses only the personal notes, or the channels, of its integration (§2, §4, row 30)', async () => {
    await using service = await createNotesService()
    const [team, board] = [service.owner.createChannel('Team'), service.owner.createChannel('Board')]
    const keyOf = (channels: (typeof team)[]) => service.owner.createIntegration({ channels }).issueKey().key
    const personal = service.owner.record({ title: 'Personal' }).note
    const ofTeam = service.owner.record({ title: 'Team', channel: team }).note
    const ofBoard = service.owner.record({ title: 'Board', channel: board }).note
    const seenBy = async (key: string) =>
      (await call<NotePage>(service, 'GET /v1/notes', { key })).body.notes.map(({ note_id }) => note_id)
    expect(await seenBy(service.apiKey)).toEqual([personal.note_id])
    expect(await seenBy(keyOf([team]))).toEqual([ofTeam.note_id])
    expect(await seenBy(keyOf([board, team]))).toEqual([ofTeam.note_id, ofBoard.note_id])
  })
})
