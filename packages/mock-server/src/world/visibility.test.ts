import type { Note, NotePage } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { call, refusal } from '../../fixtures/call.ts'
import { anInbox } from '../../fixtures/inbox.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { ContractVariants } from '../variants/contract-variants.ts'

/** A personal note, a channel, and an inbox for the integration of each. */
async function twoSides(contract: ContractVariants = {}) {
  const service = await createNotesService({ contract })
  const channel = service.owner.createChannel('Team')
  const { key } = service.owner.createIntegration({ channels: [channel] }).issueKey()
  const [personal, team] = [anInbox(), anInbox()]
  await service.connect(personal.open)
  await service.connect(team.open, { apiKey: key })
  const note = service.owner.record({ title: 'Stand-up' }).end({ summary: false })
  await service.settled()
  await service.clock.advance('1h')
  const listed = async (apiKey: string, query = '') =>
    (await call<NotePage>(service, `GET /v1/notes${query}`, { key: apiKey })).body.notes.map(({ note_id }) => note_id)
  const read = async (apiKey: string) =>
    (await call<Note>(service, `GET /v1/notes/${note.note_id}`, { key: apiKey })).body
  return { service, channel, key, personal, team, note, listed, read, [Symbol.asyncDispose]: () => service.close() }
}

describe('a note that moves from the personal notes to a channel, seen from both keys', () => {
  it('sends note.deleted with access_lost to one, and becomes visible to the other without an event or a new revision (§1, §5, §6, row 20, row 28)', async () => {
    await using setup = await twoSides()
    const { service, note, key } = setup
    const before = await setup.read(service.apiKey)
    const { updated_at, revision } = before
    note.moveTo(setup.channel)
    await service.settled()
    expect(setup.personal.received.at(-1)?.event).toMatchObject({
      event_type: 'note.deleted',
      data: { note_id: note.note_id, reason: 'access_lost', revision },
    })
    expect(setup.team.kinds).toEqual([])
    expect([await setup.listed(service.apiKey), await setup.listed(key)]).toEqual([[], [note.note_id]])
    expect(await refusal(call(service, `GET /v1/notes/${note.note_id}`))).toEqual([404, 'not_found'])
    const owner = { type: 'channel', channel_id: setup.channel.channel_id }
    expect(await setup.read(key)).toEqual({ ...before, owner })
    expect(await setup.listed(key, `?updated_after=${updated_at}`)).toEqual([])

    note.moveTo('personal')
    await service.settled()
    expect(setup.team.kinds).toEqual(['note.deleted'])
    expect(setup.personal.kinds).toEqual(['note.ended', 'note.deleted'])
    expect(await setup.read(service.apiKey)).toEqual(before)
  })

  it('is sent as note.updated to integrations that gain access, with accessGained: announced (row 28)', async () => {
    await using setup = await twoSides({ accessGained: 'announced' })
    setup.note.moveTo(setup.channel)
    await setup.service.settled()
    expect(setup.team.kinds).toEqual(['note.updated'])
    expect(setup.personal.kinds).toEqual(['note.ended', 'note.deleted'])
    expect(setup.note.revision).toBe(2)
  })

  it('gets a new revision and updated_at, with accessGained: revised (row 28)', async () => {
    await using setup = await twoSides({ accessGained: 'revised' })
    const { updated_at } = await setup.read(setup.service.apiKey)
    setup.note.moveTo(setup.channel)
    await setup.service.settled()
    expect(setup.team.kinds).toEqual([])
    expect(setup.note.revision).toBe(3)
    expect(await setup.listed(setup.key, `?updated_after=${updated_at}`)).toEqual([setup.note.note_id])
  })
})

describe('a note that moves to its current place', () => {
  it.each(['silent', 'announced', 'revised'] as const)(
    'does not change, and sends no event (%s)',
    async (accessGained) => {
      await using setup = await twoSides({ accessGained })
      const before = setup.personal.received.length
      setup.note.moveTo('personal')
      await setup.service.settled()
      expect([setup.note.revision, setup.personal.received.length]).toEqual([2, before])
    },
  )
})

describe('a key that is revoked', () => {
  it('is answered 401, while other keys of its integration and its endpoints continue to work', async () => {
    await using service = await createNotesService()
    const integration = service.owner.createIntegration()
    const [revoked, other] = [integration.issueKey(), integration.issueKey()]
    const inbox = anInbox()
    await service.connect(inbox.open, { apiKey: revoked.key })
    expect((await call(service, 'GET /v1/notes', { key: revoked.key })).status).toBe(200)
    revoked.revoke()
    expect(await refusal(call(service, 'GET /v1/notes', { key: revoked.key }))).toEqual([401, 'unauthorized'])
    expect((await call(service, 'GET /v1/notes', { key: other.key })).status).toBe(200)
    service.owner.record().end({ summary: false })
    await service.settled()
    expect(inbox.kinds).toEqual(['note.ended'])
  })
})
