import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { anInbox, type Received } from '../../fixtures/inbox.ts'
import { isVerified, verified } from '../../fixtures/verified.ts'
import type { Attempt } from '../delivery/attempt.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { ConnectedEndpoint } from '../transports/connect.ts'
import type { DeliveryFault, FaultRule } from './fault-rule.ts'

/** Delivers note.ended events to a receiver that answers 204. The fault affects the first attempt, or the calls of the rule. */
async function withFault(
  fault: DeliveryFault,
  { notes = 1, ...rule }: { notes?: number; calls?: number | number[] } = {},
) {
  const service = await createNotesService({ faults: [{ delivery: '*', calls: 1, ...rule, fault }] })
  const inbox = anInbox()
  await service.connect(inbox.open)
  for (let note = 0; note < notes; note++) service.owner.record().end({ summary: false })
  await service.settled()
  return { service, inbox, [Symbol.asyncDispose]: () => service.close() }
}

const attemptsAt = (service: NotesService) => service.attempts.slice(1)

describe('a fault of deliveries', () => {
  it('duplicated: sends the attempt twice', async () => {
    await using setup = await withFault({ kind: 'duplicated' })
    expect(setup.inbox.kinds).toEqual(['note.ended', 'note.ended'])
    expect(attemptsAt(setup.service).map(({ duplicate }) => duplicate)).toEqual([false, true])
  })

  it('reordered: sends the attempt after the next one at its endpoint', async () => {
    await using setup = await withFault({ kind: 'reordered' }, { notes: 2 })
    const happened = setup.service.deliveries.slice(1).map(({ event_id }) => event_id)
    const [first, second] = happened
    expect(setup.inbox.received.slice(1).map(({ event }) => event.event_id)).toEqual([second, first])
  })

  it('reordered: does not send the attempt after one at another endpoint', async () => {
    await using service = await createNotesService()
    const [one, other] = [anInbox(), anInbox()]
    const { endpoint_id } = await service.connect(one.open)
    await service.connect(other.open)
    service.faults.inject({ delivery: '*', endpoint_id, fault: { kind: 'reordered' } })
    service.owner.record().end({ summary: false })
    await service.clock.advance('59s')
    expect([one.kinds, other.kinds]).toEqual([[], ['note.ended']])
  })

  it('reordered: sends the attempt after a minute if there is no other', async () => {
    await using setup = await withFault({ kind: 'reordered' })
    const [verification, attempt] = setup.service.attempts
    expect((attempt?.at ?? 0) - (verification?.at ?? 0)).toBe(60_000)
  })

  it('delayed: sends the attempt later, signed for the time when it is sent', async () => {
    await using setup = await withFault({ kind: 'delayed', by: '20m' })
    const [verification, attempt] = setup.service.attempts as [Attempt, Attempt]
    expect(attempt.at - verification.at).toBe(20 * 60_000)
    expect(isVerified(setup.inbox.received.at(-1), setup.inbox.secret, attempt.at)).toBe(true)
  })

  it.each([
    [undefined, 'request', 1],
    ['request', 'request', 1],
    ['answer', 'answer', 2],
  ] as const)('lost: %s: loses the request or the answer, and the attempt is retried', async (lost, kind, received) => {
    await using setup = await withFault({ kind: 'lost', lost })
    expect(setup.inbox.kinds).toHaveLength(received)
    expect(attemptsAt(setup.service).map(({ outcome }) => outcome)).toEqual([
      { kind: 'dropped', lost: kind },
      { kind: 'answered', status: 204 },
    ])
  })

  it('corrupted: changes one character of the body', async () => {
    const service = await createNotesService({ faults: [{ delivery: 'note.ended', fault: { kind: 'corrupted' } }] })
    const bodies: string[] = []
    await service.connect(() => async (request) => {
      bodies.push(await request.text())
      return new Response(null, { status: 204 })
    })
    service.owner.record().end({ summary: false })
    await service.settled()
    const sent = service.deliveries.at(-1)?.body ?? ''
    const different = [...(bodies.at(-1) ?? '')].filter((character, index) => character !== sent[index])
    expect(different).toHaveLength(1)
    expect(service.attempts.at(-1)).toMatchObject({ body: bodies.at(-1), faults: ['corrupted'] })
    await service.close()
  })

  it('old_secret: signs only with the secret before the last rotation', async () => {
    await using service = await createNotesService()
    const inbox = anInbox()
    const { endpoint_id } = await service.connect(inbox.open)
    const rotate = () => call<ConnectedEndpoint>(service, `POST /v1/webhook-endpoints/${endpoint_id}/rotate-secret`)
    const { signing_secret } = (await rotate()).body
    await rotate()
    service.faults.inject({ delivery: '*', fault: { kind: 'old_secret' } })
    service.owner.record().end({ summary: false })
    await service.settled()
    const received = inbox.received.at(-1)
    expect(received?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
    expect(verified(received as Received, signing_secret, service.clock.now())).toBeDefined()
  })

  it('old_secret: signs with a random secret if there was no rotation', async () => {
    await using setup = await withFault({ kind: 'old_secret' })
    expect(isVerified(setup.inbox.received.at(-1), setup.inbox.secret, setup.service.clock.now())).toBe(false)
  })

  it.each([301, -301])('skewed: changes the timestamp by %i s, and signs it', async (seconds) => {
    await using setup = await withFault({ kind: 'skewed', seconds })
    const attempt = setup.service.attempts.at(-1) as Attempt
    const received = setup.inbox.received.at(-1)
    expect(Number(received?.headers['webhook-timestamp'])).toBe(attempt.at / 1000 + seconds)
    expect(isVerified(received, setup.inbox.secret, attempt.at)).toBe(false)
    expect(isVerified(received, setup.inbox.secret, attempt.at + seconds * 1000)).toBe(true)
  })
})

describe('a rule for deliveries', () => {
  const lost: DeliveryFault = { kind: 'lost' }

  it('counts retries as attempts', async () => {
    await using setup = await withFault(lost, { calls: [1, 2] })
    expect(attemptsAt(setup.service).map(({ outcome }) => outcome.kind)).toEqual(['dropped', 'dropped', 'answered'])
  })

  it('with * does not affect endpoint.verification', async () => {
    await using unaffected = await createNotesService({ faults: [{ delivery: '*', fault: lost }] })
    expect((await unaffected.connect(anInbox().open)).status).toBe('active')
    await using affected = await createNotesService({
      faults: [{ delivery: 'endpoint.verification', calls: 1, fault: lost }],
    })
    expect((await affected.connect(anInbox().open)).status).toBe('pending_verification')
  })

  it('can name one kind of event, or one endpoint', async () => {
    await using service = await createNotesService()
    const [one, other] = [anInbox(), anInbox()]
    const { endpoint_id } = await service.connect(one.open)
    await service.connect(other.open)
    const rules: FaultRule[] = [
      { delivery: 'note.deleted', fault: { kind: 'duplicated' } },
      { delivery: '*', endpoint_id, fault: { kind: 'delayed', by: '1h' } },
    ]
    for (const rule of rules) service.faults.inject(rule)
    service.owner.record().end({ summary: false }).delete()
    await service.clock.advance('1m')
    expect(one.kinds).toEqual([])
    expect(other.kinds).toEqual(['note.ended', 'note.deleted', 'note.deleted'])
  })

  it('affects a share that the seed selects, independent of the speed of the receiver', async () => {
    const run = async (remainder: number) => {
      await using service = await createNotesService({ seed: 7, faults: [{ delivery: '*', rate: 0.3, fault: lost }] })
      await service.connect(() => async () => {
        if (service.attempts.length % 2 === remainder) await new Promise((resolve) => setTimeout(resolve, 1))
        return new Response(null, { status: 204 })
      })
      for (let note = 0; note < 40; note++) service.owner.record().end({ summary: false })
      await service.settled()
      return service.attempts.map(({ delivery_id, at, outcome }) => [delivery_id, at, outcome.kind])
    }
    const one = await run(0)
    expect(one.filter(([, , kind]) => kind === 'dropped').length).toBeGreaterThan(8)
    expect(await run(1)).toEqual(one)
  })
})
