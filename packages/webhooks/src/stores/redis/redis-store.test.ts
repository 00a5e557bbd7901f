import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { type Redis as RedisServer, startRedis } from 'notewire-test-servers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { aRequest, claimed } from '../../../fixtures/stores/redis/claims.ts'
import { clientMakers, type TestClient } from '../../../fixtures/stores/redis/clients.ts'
import type { ReceiverStore } from '../../interfaces/store.ts'
import { createReceiver } from '../../receiver/receiver.ts'
import type { Receiver } from '../../receiver/receiver-interface.ts'
import { anEvent } from '../../testing/an-event.ts'
import { signAttempt } from '../../testing/sign-attempt.ts'
import { storeChecks } from '../../testing/store-checks.ts'
import { redisStore } from './redis-store.ts'

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIGFuZCBubyBvdGhlcg'

let server: RedisServer
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

describe.each(clientMakers)('the store in Redis, by $name', ({ connect }) => {
  let client: TestClient
  let store: ReceiverStore
  beforeAll(async () => {
    client = await connect(server.port)
    store = redisStore(client.client)
  })
  afterAll(() => client.close())

  for (const { name, run } of storeChecks) it(name, () => run(store))
})

describe('the store in Redis', () => {
  let admin: Redis
  let store: ReceiverStore
  beforeAll(() => {
    admin = new Redis(server.port)
    store = redisStore(admin)
  })
  afterAll(() => admin.disconnect())

  it('sends one command for a claim and one for a commit', async () => {
    await store.commit(await claimed(store, aRequest()))
    await admin.config('RESETSTAT')
    await store.commit(await claimed(store, aRequest()))
    const statistics = await admin.info('commandstats')
    expect(statistics).toContain('cmdstat_evalsha:calls=2,')
    expect(statistics).not.toContain('cmdstat_eval:')
  })

  it('writes nothing for a claim that is busy', async () => {
    const request = aRequest()
    await claimed(store, request)
    const keys = await admin.keys(`{notewire:${request.integration}}*`)
    const stored = () =>
      Promise.all(keys.map(async (key) => [await admin.get(key), await admin.call('PEXPIRETIME', key)]))
    const before = await stored()
    expect(before).toHaveLength(2)
    await sleep(5)
    for (const eventId of [request.eventId, 'another event']) {
      expect(await store.claim({ ...request, eventId })).toEqual({ status: 'busy' })
    }
    expect(await stored()).toEqual(before)
    expect(await admin.keys(`{notewire:${request.integration}}*`)).toHaveLength(2)
  })

  it('sends one command for a claim, also of a note that it knows', async () => {
    const { integration } = aRequest()
    await store.commit(await claimed(store, aRequest({ integration })))
    await admin.config('RESETSTAT')
    const change = { kind: 'note.updated', revision: 8 } as const
    await claimed(store, aRequest({ integration, eventId: 'event_2', note: { noteId: 'note_1', change } }))
    expect(await admin.info('commandstats')).toContain('cmdstat_evalsha:calls=1,')
  })

  it('keeps two keys, which a user can read', async () => {
    const integration = 'keys'
    const claim = await claimed(store, aRequest({ integration }))
    const [event, note] = ['{notewire:keys}:event:event_1', '{notewire:keys}:note:note_1'] as const
    expect((await admin.keys('*{notewire:keys}*')).sort()).toEqual([event, note])
    expect(await admin.get(event)).toMatch(new RegExp(`^${claim.fencingToken} \\d{13} 0 $`))
    await store.commit(claim)
    const committed = `^${claim.fencingToken} 0 \\d{13}`
    expect(await admin.get(event)).toMatch(new RegExp(`${committed} processed$`))
    expect(await admin.get(note)).toMatch(
      new RegExp(`${committed} {"revision":7,"deleted":false,"seen":\\["note.updated"\\]}$`),
    )
  })

  it('sets the expiry of its keys, so that there is nothing to prune', async () => {
    const claim = await claimed(store, aRequest({ integration: 'expiry', leaseMs: 20_000, keepMs: 100_000 }))
    const expiry = async () => {
      const keys = ['{notewire:expiry}:event:event_1', '{notewire:expiry}:note:note_1']
      return await Promise.all(keys.map(async (key) => Math.ceil((await admin.pttl(key)) / 10_000) * 10_000))
    }
    expect(await expiry()).toEqual([120_000, 120_000])
    await store.renew(claim, 50_000)
    expect(await expiry()).toEqual([150_000, 150_000])
    await store.commit(claim)
    expect(await expiry()).toEqual([100_000, 100_000])
    await store.forget('expiry', 'event_1')
    expect(await expiry()).toEqual([100_000, 100_000])
    expect(await store.prune()).toBe(0)
  })

  it('keeps a record with an infinite keepMs', async () => {
    const request = aRequest({ keepMs: Number.POSITIVE_INFINITY })
    await store.commit(await claimed(store, request))
    expect(await store.claim(request)).toEqual({ status: 'duplicate' })
  })

  it('extends the time for which a revision is kept when a later event of its note has no revision', async () => {
    const request = aRequest({ keepMs: 100_000 })
    await store.commit(await claimed(store, request))
    await store.commit(
      await claimed(store, { ...request, eventId: 'event_2', note: { noteId: 'note_1' }, keepMs: 900_000 }),
    )
    await claimed(store, { ...request, eventId: 'event_3', gate: 'off', keepMs: 1 })
    expect(await admin.pttl(`{notewire:${request.integration}}:note:note_1`)).toBeGreaterThan(100_000)
  })

  it('renews and commits an expired claim that no other worker has taken over', async () => {
    const request = aRequest({ leaseMs: 1 })
    const late = await claimed(store, request)
    await sleep(10)
    expect(await store.renew(late, 1)).toBe('renewed')
    await sleep(10)
    expect(await store.commit(late)).toBe('committed')
  })

  it.each([
    ['a:b', 'c', 'a', 'b:c'],
    ['a}', 'b', 'a', '}b'],
    ['a}:event:b', 'c', 'a', 'b}:event:c'],
    ['a%7D', 'b', 'a}', 'b'],
    ['', ':event:a', '', 'a'],
  ])(
    'distinguishes integration %j with event %j from integration %j with event %j',
    async (integration, eventId, otherIntegration, otherId) => {
      const unique = crypto.randomUUID()
      const one = aRequest({ integration: `${unique}${integration}`, eventId, note: undefined })
      await store.commit(await claimed(store, one))
      await claimed(store, { ...one, integration: `${unique}${otherIntegration}`, eventId: otherId })
      expect(await store.claim(one)).toEqual({ status: 'duplicate' })
    },
  )

  it('distinguishes an event and a note with the same id', async () => {
    const request = aRequest({ eventId: 'same', note: { noteId: 'same' } })
    expect(await store.commit(await claimed(store, request))).toBe('committed')
    expect(await store.forget(request.integration, 'same')).toBe('forgotten')
  })

  it('distinguishes recording sessions with any ids', async () => {
    const { integration } = aRequest()
    const ended = (recordingSessionId: string) =>
      aRequest({
        integration,
        eventId: `of ${recordingSessionId}`,
        note: { noteId: 'note_1', change: { kind: 'note.ended', revision: 7, recordingSessionId } },
      })
    await store.commit(await claimed(store, ended('a\nnote.deleted')))
    await store.commit(await claimed(store, ended('a')))
    expect(await store.claim(aRequest({ ...ended('a'), eventId: 'again' }))).toMatchObject({ status: 'stale' })
    expect(await store.claim(aRequest({ ...ended('a\nnote.deleted'), eventId: 'again' }))).toMatchObject({
      status: 'stale',
    })
  })

  it('forgets a kind that was applied at a lower revision', async () => {
    const { integration } = aRequest()
    const change = (kind: 'note.ended' | 'note.updated', revision: number) => ({
      ...aRequest({ integration, eventId: crypto.randomUUID(), gate: 'off' }),
      note: { noteId: 'note_1', change: { kind, revision } },
    })
    await store.commit(await claimed(store, change('note.updated', 5)))
    await store.commit(await claimed(store, change('note.ended', 4)))
    await claimed(store, { ...change('note.ended', 5), gate: 'per-kind' })
  })

  it.each([-365, 365])(
    'a process whose clock is off by %d days takes no live claim, and keeps none longer',
    async (days) => {
      const request = aRequest({ integration: `off by ${days} days` })
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 })
      onTestFinished(() => void vi.useRealTimers())
      await claimed(store, request)
      vi.useRealTimers()
      const value = await admin.get(`{notewire:${request.integration}}:event:${request.eventId}`)
      const endsAt = Number(value?.split(' ')[1])
      expect(Math.abs(endsAt - Date.now() - request.leaseMs)).toBeLessThan(5_000)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - days * 86_400_000 })
      expect(await store.claim(request)).toEqual({ status: 'busy' })
    },
  )

  it('grants higher fencing tokens after the clock of the server was set back', async () => {
    const integration = 'clock'
    // Higher than the time in microseconds will be for two centuries.
    await admin.set('{notewire:clock}:event:event_1', '8000000000000000 0 0 ')
    expect((await claimed(store, aRequest({ integration, note: undefined }))).fencingToken).toBe('8000000000000001')
    await admin.set('{notewire:clock}:note:note_1', '8000000000000005 0 0 ')
    expect((await claimed(store, aRequest({ integration, eventId: 'event_2' }))).fencingToken).toBe('8000000000000006')
  })

  it('grants higher fencing tokens after Redis lost everything', async () => {
    const request = aRequest()
    const before = await claimed(store, request)
    await admin.flushall()
    const after = await claimed(store, request)
    expect(BigInt(after.fencingToken)).toBeGreaterThan(BigInt(before.fencingToken))
    expect(await store.commit(before)).toBe('lost')
    expect(await store.commit(after)).toBe('committed')
  })

  it('makes receivers on many instances apply an event once', async () => {
    const applied: string[] = []
    const integration = crypto.randomUUID()
    const receivers = Array.from({ length: 5 }, () =>
      createReceiver({
        secret: SECRET,
        integration,
        store,
        on: { 'note.updated': ({ event_id }) => applied.push(event_id) },
      }),
    )
    const attempt = await signAttempt(SECRET, anEvent({ kind: 'note.updated', eventId: 'event_1' }))
    const deliver = (receiver: Receiver) =>
      receiver.fetch(new Request('https://receiver.test/hooks', { method: 'POST', ...attempt }))
    const answers = await Promise.all(receivers.map(deliver))
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204])
    expect(applied).toEqual(['event_1'])
  })

  it.each([
    ['nothing', undefined],
    ['the promise of a client', Promise.resolve()],
    ['an address', 'redis://127.0.0.1'],
  ])('refuses %s instead of a client', (_, client) => {
    // @ts-expect-error no client
    expect(() => redisStore(client)).toThrow(/client is not a client of ioredis or redis/)
  })
})
