import { describe, expect, it } from 'vitest'
import { anInbox, type Inbox } from '../../fixtures/inbox.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { Disorder } from './attempt-faults.ts'

async function afterDeliveries(
  disorder: Disorder,
  notes: number,
): Promise<{ readonly service: NotesService; readonly inbox: Inbox } & AsyncDisposable> {
  const service = await createNotesService({ disorder, contract: { disableAfter: 'never' } })
  const inbox = anInbox()
  await service.connect(inbox.open)
  for (let note = 0; note < notes; note++) service.owner.record().end({ summary: false })
  await service.settled()
  return { service, inbox, [Symbol.asyncDispose]: () => service.close() }
}

describe('disorder', () => {
  it('does not affect endpoint.verification', async () => {
    await using setup = await afterDeliveries({ duplicated: 1, reordered: 1, failing: 1 }, 0)
    expect(setup.service.attempts).toMatchObject([{ attempt: 1, duplicate: false, outcome: { status: 204 } }])
  })

  it('duplicated: sends the same attempt twice', async () => {
    await using setup = await afterDeliveries({ duplicated: 1 }, 3)
    const { received } = setup.inbox
    expect(received).toHaveLength(1 + 2 * 3)
    const [, one, again] = received
    expect(again).toEqual(one)
    const logged = setup.service.attempts.slice(1)
    expect(logged.map(({ duplicate }) => duplicate)).toEqual([false, true, false, true, false, true])
    expect(logged.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('reordered: sends deliveries 1 to 20 seconds late, so that they overtake each other', async () => {
    await using setup = await afterDeliveries({ reordered: 1 }, 20)
    const [first, ...attempts] = setup.service.attempts
    for (const { at } of attempts) {
      expect(at - (first?.at ?? 0)).toBeGreaterThanOrEqual(1000)
      expect(at - (first?.at ?? 0)).toBeLessThanOrEqual(20_000)
    }
    const sent = attempts.map(({ event_id }) => event_id)
    const occurred = setup.service.deliveries.slice(1).map(({ event_id }) => event_id)
    expect(sent).not.toEqual(occurred)
    expect([...sent].sort()).toEqual([...occurred].sort())
  })

  it('failing: loses the request of half the attempts, and the answer of the other half', async () => {
    await using setup = await afterDeliveries({ failing: 1 }, 40)
    const attempts = setup.service.attempts.slice(1)
    expect(attempts).toHaveLength(40 * 7)
    const lost = (what: string) => attempts.filter(({ outcome }) => outcome.kind === 'dropped' && outcome.lost === what)
    expect(lost('request').length + lost('answer').length).toBe(attempts.length)
    expect(lost('answer').length).toBeGreaterThan(attempts.length * 0.4)
    expect(lost('request').length).toBeGreaterThan(attempts.length * 0.4)
    expect(setup.inbox.kinds).toHaveLength(lost('answer').length)
    expect(setup.service.deliveries.slice(1).map(({ status }) => status)).toEqual(Array(40).fill('given_up'))
  })

  it('at moderate rates delivers every event at least once, and some more often', async () => {
    await using setup = await afterDeliveries({ duplicated: 0.2, reordered: 0.2, failing: 0.2 }, 100)
    const arrivals = setup.inbox.received.slice(1).map(({ event }) => event.event_id)
    expect(new Set(arrivals).size).toBe(100)
    expect(arrivals.length).toBeGreaterThan(110)
    expect(setup.service.deliveries.every(({ status }) => status === 'delivered')).toBe(true)
  })

  it('can be changed while the service runs', async () => {
    await using setup = await afterDeliveries({}, 1)
    setup.service.disorder = { duplicated: 1 }
    setup.service.owner.record().end({ summary: false })
    await setup.service.settled()
    expect(setup.service.disorder).toEqual({ duplicated: 1, reordered: 0, failing: 0 })
    setup.service.disorder = {}
    setup.service.owner.record().end({ summary: false })
    await setup.service.settled()
    expect(setup.inbox.kinds).toHaveLength(1 + 2 + 1)
  })

  it.each([{ failing: 1.1 }, { duplicated: -0.1 }, { reordered: Number.NaN }, { failing: '0.5' }, { flaky: 0.5 }])(
    'rejects %j',
    async (disorder) => {
      await expect(createNotesService({ disorder: disorder as Disorder })).rejects.toThrow(MockServerError)
      await using service = await createNotesService()
      expect(() => {
        service.disorder = disorder as Disorder
      }).toThrow(MockServerError)
    },
  )
})
