import type { NoteEvent } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { anInbox, type Inbox } from '../../fixtures/inbox.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { ContractVariants } from '../variants/contract-variants.ts'
import type { NoteHandle } from './owner.ts'

interface Edited extends AsyncDisposable {
  readonly service: NotesService
  readonly inbox: Inbox
  readonly note: NoteHandle
}

/** A note that has ended, and an inbox that got its note.ended. */
async function anEndedNote(contract: ContractVariants = {}): Promise<Edited> {
  const service = await createNotesService({ contract })
  const inbox = anInbox()
  await service.connect(inbox.open)
  const note = service.owner.record().end({ summary: false })
  await service.settled()
  return { service, inbox, note, [Symbol.asyncDispose]: () => service.close() }
}

const updatesIn = ({ received }: Inbox) =>
  received.flatMap(({ event }) => (event.event_type === 'note.updated' ? (event as NoteEvent) : []))

describe('edits close together', () => {
  it('are combined into one event with the last revision, 5 s after the last edit (§6, row 21)', async () => {
    await using setup = await anEndedNote()
    const beganAt = setup.service.clock.now()
    for (const title of ['One', 'Two', 'Three']) {
      setup.note.edit({ title })
      await setup.service.clock.advance('4s')
    }
    expect(updatesIn(setup.inbox)).toEqual([])
    await setup.service.clock.advance(999)
    expect(updatesIn(setup.inbox)).toEqual([])
    await setup.service.clock.advance(1)
    expect(updatesIn(setup.inbox)).toMatchObject([{ data: { note_id: setup.note.note_id, revision: 5 } }])
    expect(Date.parse(updatesIn(setup.inbox)[0]?.occurred_at ?? '')).toBe(beganAt + 13_000)
    await setup.service.settled()
    expect(updatesIn(setup.inbox)).toHaveLength(1)
  })

  it('that continue are announced 60 s after the first edit, and later ones in another event (row 21)', async () => {
    await using setup = await anEndedNote()
    const beganAt = setup.service.clock.now()
    for (let second = 0; second < 90; second += 3) {
      setup.note.edit({ title: `At ${second} s` })
      await setup.service.clock.advance('3s')
    }
    await setup.service.settled()
    const times = updatesIn(setup.inbox).map(({ occurred_at }) => Date.parse(occurred_at ?? '') - beganAt)
    expect(times).toEqual([60_000, 87_000 + 5000])
  })

  it('of two notes send two events', async () => {
    await using setup = await anEndedNote()
    const other = setup.service.owner.record().end({ summary: false })
    setup.note.edit({ title: 'One' })
    other.edit({ title: 'Two' })
    await setup.service.settled()
    expect(updatesIn(setup.inbox).map(({ data }) => data.note_id)).toEqual([setup.note.note_id, other.note_id])
  })

  it('are combined for the times of the contract variant (row 21)', async () => {
    await using setup = await anEndedNote({ debounceQuiet: '1s', debounceLongest: '2s' })
    const beganAt = setup.service.clock.now()
    for (const title of ['One', 'Two', 'Three', 'Four']) {
      setup.note.edit({ title })
      await setup.service.clock.advance(900)
    }
    await setup.service.settled()
    const times = updatesIn(setup.inbox).map(({ occurred_at }) => Date.parse(occurred_at ?? '') - beganAt)
    expect(times).toEqual([2000, 3700])
  })
})

describe('a pending update', () => {
  it('is cancelled when its note is deleted (row 29)', async () => {
    await using setup = await anEndedNote()
    setup.note.edit({ title: 'New' })
    setup.note.delete()
    await setup.service.settled()
    expect(setup.inbox.kinds).toEqual(['note.ended', 'note.deleted'])
  })

  it('is cancelled when access is lost, even if it is regained (row 29)', async () => {
    await using setup = await anEndedNote()
    setup.note.edit({ title: 'New' })
    setup.note.moveTo(setup.service.owner.createChannel('Team'))
    setup.note.moveTo('personal')
    await setup.service.settled()
    expect(setup.inbox.kinds).toEqual(['note.ended', 'note.deleted'])
  })

  it('is sent to the integrations that keep access to the note, and not to those that gained it', async () => {
    await using service = await createNotesService()
    const [one, two] = [service.owner.createChannel('One'), service.owner.createChannel('Two')]
    const [both, newcomer] = [anInbox(), anInbox()]
    const { key } = service.owner.createIntegration({ channels: [one, two] }).issueKey()
    await service.connect(both.open, { apiKey: key })
    await service.connect(newcomer.open, {
      apiKey: service.owner.createIntegration({ channels: [two] }).issueKey().key,
    })
    const note = service.owner.record({ channel: one }).end({ summary: false })
    note.edit({ title: 'New' })
    note.moveTo(two)
    await service.settled()
    expect(both.kinds).toEqual(['note.ended', 'note.updated'])
    expect(newcomer.kinds).toEqual([])
  })
})
