import type { Note, NotePage } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { anInbox, type Inbox } from '../../fixtures/inbox.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { NoteHandle } from './owner.ts'

async function aServiceWithInbox(): Promise<{ service: NotesService; inbox: Inbox } & AsyncDisposable> {
  const service = await createNotesService()
  const inbox = anInbox()
  await service.connect(inbox.open)
  return { service, inbox, [Symbol.asyncDispose]: () => service.close() }
}

const resourceOf = async (service: NotesService, { note_id }: NoteHandle) =>
  (await call<Note>(service, `GET /v1/notes/${note_id}`)).body

describe('a recording session that ends', () => {
  it('sends note.ended, with the session and the new revision (§2, §6, row 12, row 31)', async () => {
    await using setup = await aServiceWithInbox()
    const recording = setup.service.owner.record()
    const note = recording.end()
    await setup.service.clock.advance(0)
    expect(setup.inbox.received.at(-1)?.event).toEqual({
      event_id: expect.stringMatching(/^evt_/),
      event_type: 'note.ended',
      occurred_at: '2026-01-01T00:00:00.000Z',
      data: {
        note_id: note.note_id,
        recording_session_id: recording.recording_session_id,
        revision: 2,
        transcript_status: 'ready',
        summary_status: 'pending',
      },
    })
    expect(await resourceOf(setup.service, note)).toMatchObject({
      status: 'ended',
      revision: 2,
      ended_at: '2026-01-01T00:00:00.000Z',
    })
  })

  it('gets a summary 5 to 30 seconds later, which raises the revision and sends note.summary.generated (§6, row 20)', async () => {
    await using setup = await aServiceWithInbox()
    const notes = Array.from({ length: 30 }, () => setup.service.owner.record().end())
    await setup.service.clock.advance(4999)
    expect(setup.inbox.kinds).not.toContain('note.summary.generated')
    await setup.service.clock.advance(25_001)
    expect(setup.inbox.kinds.filter((kind) => kind === 'note.summary.generated')).toHaveLength(30)
    expect(notes.map(({ revision }) => revision)).toEqual(Array(30).fill(3))
  })

  it('gets no summary with summary: false', async () => {
    await using setup = await aServiceWithInbox()
    const note = setup.service.owner.record().end({ summary: false })
    await setup.service.settled()
    expect(setup.inbox.kinds).toEqual(['note.ended'])
    expect((await resourceOf(setup.service, note)).summary_status).toBe('missing')
  })

  it('sends note.ended once, even if the note has several sessions, and cancels a summary in progress (§2, §6)', async () => {
    await using setup = await aServiceWithInbox()
    const note = setup.service.owner.record().end()
    note.record().end()
    await setup.service.settled()
    expect(setup.inbox.kinds).toEqual(['note.ended', 'note.ended', 'note.summary.generated'])
    const sessions = setup.inbox.received
      .map(({ event }) => event.data)
      .flatMap((data) => ('recording_session_id' in data ? data.recording_session_id : []))
    expect(new Set(sessions).size).toBe(2)
  })

  it('ends only once', async () => {
    await using service = await createNotesService()
    const recording = service.owner.record()
    recording.end()
    expect(() => recording.end()).toThrow(MockServerError)
    expect(() => recording.end()).toThrow(recording.recording_session_id)
  })
})

describe('an edit', () => {
  it('raises the revision and sends note.updated (§2, §6, §9)', async () => {
    await using setup = await aServiceWithInbox()
    const note = setup.service.owner.record().end({ summary: false })
    note.edit({ title: 'Renamed' })
    note.edit({ content: 'Rewritten' })
    await setup.service.settled()
    expect(setup.inbox.kinds).toEqual(['note.ended', 'note.updated'])
    expect(setup.inbox.received.at(-1)?.event).toMatchObject({ data: { revision: 4 } })
    expect(await resourceOf(setup.service, note)).toMatchObject({ title: 'Renamed', content: 'Rewritten', revision: 4 })
  })

  it('of a note that has not ended raises the revision, and sends nothing (§2, row 29)', async () => {
    await using setup = await aServiceWithInbox()
    const { note, end } = setup.service.owner.record()
    note.edit({ title: 'Early' })
    expect(note.revision).toBe(2)
    end({ summary: false })
    await setup.service.settled()
    expect(setup.inbox.kinds).toEqual(['note.ended'])
  })

  it('that changes nothing does nothing', async () => {
    await using setup = await aServiceWithInbox()
    const note = setup.service.owner.record({ title: 'Same' }).end({ summary: false })
    note.edit({ title: 'Same' })
    note.edit({})
    await setup.service.settled()
    expect(setup.inbox.kinds).toEqual(['note.ended'])
    expect(note.revision).toBe(2)
  })
})

describe('a deletion', () => {
  it('sends note.deleted with reason deleted at a raised revision, and no summary after it (§6, row 20)', async () => {
    await using setup = await aServiceWithInbox()
    const note = setup.service.owner.record().end()
    note.delete()
    await setup.service.settled()
    expect(setup.inbox.kinds).toEqual(['note.ended', 'note.deleted'])
    expect(setup.inbox.received.at(-1)?.event).toMatchObject({ data: { reason: 'deleted', revision: 3 } })
  })

  it('makes every later act on the note throw', async () => {
    await using service = await createNotesService()
    const recording = service.owner.record()
    const { note } = recording
    note.delete()
    for (const act of [
      () => note.edit({ title: 'Late' }),
      () => note.delete(),
      () => note.moveTo('personal'),
      () => note.record(),
      () => recording.end(),
    ]) {
      expect(act).toThrow(expect.objectContaining({ code: 'note_deleted' }))
    }
  })
})

describe('a note that is moved to a channel', () => {
  it('sends no event to an integration that can access both places', async () => {
    await using service = await createNotesService()
    const channels = [service.owner.createChannel('One'), service.owner.createChannel('Two')] as const
    const { key } = service.owner.createIntegration({ channels }).issueKey()
    const inbox = anInbox()
    await service.connect(inbox.open, { apiKey: key })
    const note = service.owner.record({ channel: channels[0] }).end({ summary: false })
    note.moveTo(channels[1])
    await service.settled()
    expect(inbox.kinds).toEqual(['note.ended'])
  })

  it('shows no tombstone to integrations that lost access, for any query', async () => {
    await using service = await createNotesService()
    service.owner.record().note.moveTo(service.owner.createChannel('Team'))
    const { body } = await call<NotePage>(service, 'GET /v1/notes?include_deleted=true')
    expect(body.notes).toEqual([])
  })
})

describe('an act that is not possible', () => {
  it('throws an error with a code', async () => {
    await using service = await createNotesService()
    const other = service.createOwner()
    const foreign = other.createChannel('Elsewhere')
    const { note } = service.owner.record()
    const refused = (code: string) => expect.objectContaining({ code })
    expect(() => service.owner.note('note_1')).toThrow(refused('note_unknown'))
    expect(() => other.note(note.note_id)).toThrow(refused('note_unknown'))
    expect(() => note.moveTo(foreign)).toThrow(refused('channel_unknown'))
    expect(() => service.owner.record({ channel: foreign })).toThrow(refused('channel_unknown'))
    expect(() => service.owner.createIntegration({ channels: [foreign] })).toThrow(refused('channel_unknown'))
    expect(() => service.owner.createIntegration({ channels: [] })).toThrow(MockServerError)
    expect(() => service.owner.createIntegration().issueKey({ scopes: [] })).toThrow('at least 1')
    expect(() => service.owner.createIntegration().issueKey({ scopes: ['notes:write' as never] })).toThrow(
      '"scopes[0]" has a wrong value. It must be "notes:read" or',
    )
    expect(() => service.owner.record({ tittle: 'Typo' } as never)).toThrow('tittle')
    expect(() => note.edit({ tittle: 'Typo' } as never)).toThrow('tittle')
  })
})
