import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { heldHandler } from '../../fixtures/held-handler.ts'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import type { HandlerContext } from './handlers.ts'

/** A receiver whose handler works until it is told to stop, on a store with ways of its own. */
function setUpDiligent(waysOf: (clock: ManualClock, store: ReceiverStore) => Partial<ReceiverStore>) {
  const clock = new ManualClock()
  const stopped: unknown[] = []
  const untilStopped = (_event: unknown, { signal }: HandlerContext) =>
    new Promise<void>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        stopped.push(signal.reason)
        reject(signal.reason)
      })
    })
  const memory = memoryStore({ clock })
  const store = storeWith(memory, waysOf(clock, memory))
  return { ...setUpReceiver({ clock, store, on: { 'note.ended': untilStopped } }), memory, stopped }
}

describe('the lease of a handler at work', () => {
  it('lasts as long as it works', async () => {
    const slow = heldHandler()
    const { clock, receiver } = setUpReceiver({ on: { 'note.ended': slow.handle } })
    const event = anEvent({ kind: 'note.ended' })
    const first = receiver.process(event)
    await clock.advance(120_000)
    const second = receiver.process(event)
    await clock.advance(2_000)
    expect((await second).status).toBe('busy')
    slow.end()
    expect((await first).status).toBe('applied')
  })

  it('is renewed every five seconds, for twenty, and no more when it is done', async () => {
    const clock = new ManualClock()
    const store = memoryStore({ clock })
    const renewals: [number, number][] = []
    const begun = clock.now()
    const recording = storeWith(store, {
      renew: (claim, leaseMs) => {
        renewals.push([clock.now() - begun, leaseMs])
        return store.renew(claim, leaseMs)
      },
    })
    const slow = heldHandler()
    const { receiver } = setUpReceiver({ clock, store: recording, on: { 'note.ended': slow.handle } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(12_000)
    slow.end()
    expect((await outcome).status).toBe('applied')
    await clock.advance(60_000)
    expect(renewals).toEqual([
      [5_000, 20_000],
      [10_000, 20_000],
    ])
  })

  it('is renewed in the async context of its delivery', async () => {
    const delivery = new AsyncLocalStorage<string>()
    const clock = new ManualClock()
    const store = memoryStore({ clock })
    const renewed: [string, string | undefined][] = []
    const recording = storeWith(store, {
      renew: (claim, leaseMs) => {
        renewed.push([claim.request.eventId, delivery.getStore()])
        return store.renew(claim, leaseMs)
      },
    })
    const slow = heldHandler()
    const { receiver } = setUpReceiver({ clock, store: recording, on: { 'note.ended': slow.handle } })
    for (const eventId of ['one', 'two']) {
      const event = anEvent({ kind: 'note.ended', eventId, noteId: `note of ${eventId}` })
      void delivery.run(eventId, () => receiver.process(event))
      await clock.advance(1)
    }
    await clock.advance(5_000)
    expect(renewed).toEqual([
      ['one', 'one'],
      ['two', 'two'],
    ])
    slow.end()
  })

  it('of a process that died runs out after twenty seconds, and the next delivery takes the event over', async () => {
    const clock = new ManualClock()
    const store = memoryStore({ clock })
    const dead = storeWith(store, { renew: () => new Promise<never>(() => undefined) })
    const event = anEvent({ kind: 'note.ended' })
    void setUpReceiver({ clock, store: dead, on: { 'note.ended': heldHandler().handle } }).receiver.process(event)
    const heir = setUpReceiver({ clock, store, on: { 'note.ended': () => undefined } }).receiver
    await clock.advance(17_000)
    const early = heir.process(event)
    await clock.advance(2_000)
    expect((await early).status).toBe('busy')
    await clock.advance(1_000)
    expect((await heir.process(event)).status).toBe('applied')
  })
})

describe('a handler whose claim another worker has taken', () => {
  it('hears of it at the next renewal, and its failure counts as the loss that it is', async () => {
    const { clock, outcomes, receiver, stopped } = setUpDiligent(() => ({ renew: async () => 'lost' }))
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(4_999)
    expect(stopped).toEqual([])
    await clock.advance(1)
    expect(stopped).toMatchObject([{ name: 'AbortError', message: expect.stringMatching(/another worker/) }])
    expect((await outcome).status).toBe('claim-lost')
    expect(outcomes.map(({ status }) => status)).toEqual(['claim-lost'])
  })

  it('has it renewed no more, even if it works on', async () => {
    const clock = new ManualClock()
    const slow = heldHandler()
    let renewals = 0
    const renew = async () => {
      renewals += 1
      return 'lost' as const
    }
    const store = storeWith(memoryStore({ clock }), { renew })
    const { receiver } = setUpReceiver({ clock, store, on: { 'note.ended': slow.handle } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(60_000)
    slow.end()
    await outcome
    expect(renewals).toBe(1)
  })

  it('is answered 503, not 500, and logged as a loss, not as a failure', async () => {
    const begun = Promise.withResolvers<void>()
    const { clock, deliver, logger } = setUpReceiver({
      store: storeWith(memoryStore(), { renew: async () => 'lost' }),
      on: {
        'note.ended': (_event, { signal }) => {
          begun.resolve()
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
      },
    })
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await begun.promise
    await clock.advance(5_000)
    expect((await response).status).toBe(503)
    expect(logger.lines).toEqual([expect.stringMatching(/^warn the receiver lost its claim on an event/)])
  })

  it('while the store was out of reach does not count, and the other one does', async () => {
    const clock = new ManualClock()
    const store = memoryStore({ clock })
    const unreachable = storeWith(store, { renew: () => Promise.reject(new Error('the store is unreachable')) })
    const reasons: unknown[] = []
    const workOn = async (_event: unknown, { signal }: HandlerContext) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason))
      await clock.sleep(24_000)
    }
    const cutOff = setUpReceiver({ clock, store: unreachable, on: { 'note.ended': workOn } })
    const heir = setUpReceiver({ clock, store, on: { 'note.ended': () => clock.sleep(5_000) } })
    const event = anEvent({ kind: 'note.ended' })

    const lost = cutOff.receiver.process(event)
    await clock.advance(19_999)
    expect(reasons).toEqual([])
    const taken = heir.receiver.process(event)
    await clock.advance(1)
    expect(reasons).toMatchObject([{ name: 'AbortError', message: expect.stringMatching(/another worker/) }])
    await clock.advance(6_000)
    expect((await lost).status).toBe('claim-lost')
    expect((await taken).status).toBe('applied')
  })
})

describe('a store that fails to renew', () => {
  it.each([
    [
      'by throwing',
      () => {
        throw new Error('the pool is closed')
      },
    ],
    ['by rejecting', () => Promise.reject(new Error('the connection is lost'))],
    ['by never answering', () => new Promise<never>(() => undefined)],
  ])('%s does not keep a finished handler from its commit', async (_how, renew) => {
    const clock = new ManualClock()
    const slow = heldHandler()
    const store = storeWith(memoryStore({ clock }), { renew })
    const { receiver } = setUpReceiver({ clock, store, on: { 'note.ended': slow.handle } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(6_000)
    slow.end()
    expect((await outcome).status).toBe('applied')
    await receiver.close()
  })

  it('once may answer the next time, and nothing is lost', async () => {
    const clock = new ManualClock()
    const store = memoryStore({ clock })
    let failures = 1
    const slow = heldHandler()
    const { receiver } = setUpReceiver({
      clock,
      on: { 'note.ended': slow.handle },
      store: storeWith(store, {
        renew: async (claim, leaseMs) => {
          if (failures-- > 0) throw new Error('the connection is lost')
          return await store.renew(claim, leaseMs)
        },
      }),
    })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(60_000)
    slow.end()
    expect((await outcome).status).toBe('applied')
  })

  it('stops the handler twenty seconds after the claim was asked for, however long its answer took', async () => {
    const { clock, receiver, stopped } = setUpDiligent((clock, store) => ({
      claim: async (request) => {
        const result = await store.claim(request)
        await clock.sleep(3_000)
        return result
      },
      renew: () => new Promise<never>(() => undefined),
    }))
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(19_999)
    expect(stopped).toHaveLength(0)
    await clock.advance(1)
    expect(stopped).toHaveLength(1)
    expect((await outcome).status).toBe('claim-lost')
  })

  it('stops the handler twenty seconds after the claim was asked for that followed a wait', async () => {
    const { clock, memory, receiver, stopped } = setUpDiligent((clock, store) => ({
      claim: async (request) => {
        const result = await store.claim(request)
        if (result.status === 'claimed') await clock.sleep(3_000)
        return result
      },
      renew: () => new Promise<never>(() => undefined),
    }))
    const elsewhere = await memory.claim({
      integration: 'default',
      eventId: 'evt_elsewhere',
      note: { noteId: 'note_1' },
      gate: 'off',
      leaseMs: 20_000,
      keepMs: 97_200_000,
    })
    if (elsewhere.status !== 'claimed') throw new Error('the note should be free')
    const outcome = receiver.process(anEvent({ kind: 'note.ended', noteId: 'note_1' }))
    await clock.advance(30)
    await memory.release(elsewhere.claim)
    // The receiver asks after 25 ms and 50 ms more.
    await clock.advance(45 + 19_999)
    expect(stopped).toHaveLength(0)
    await clock.advance(1)
    expect(stopped).toHaveLength(1)
    expect((await outcome).status).toBe('claim-lost')
  })

  it('stops the handler twenty seconds after the last renewal was asked for, however long its answer took', async () => {
    let renewals = 0
    const { clock, receiver, stopped } = setUpDiligent((clock, store) => ({
      renew: async (claim, leaseMs) => {
        renewals += 1
        if (renewals > 1) await new Promise<never>(() => undefined)
        const renewal = await store.renew(claim, leaseMs)
        await clock.sleep(3_000)
        return renewal
      },
    }))
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(24_999)
    expect(stopped).toHaveLength(0)
    await clock.advance(1)
    expect(stopped).toHaveLength(1)
    expect((await outcome).status).toBe('claim-lost')
  })

  it.each([
    ['calls no handler when the answer to the claim took twenty seconds', 20_000, 'claim-lost', 0],
    ['calls the handler when it took a millisecond less', 19_999, 'applied', 1],
  ])('%s', async (_what, ms, status, calls) => {
    const clock = new ManualClock()
    const memory = memoryStore({ clock })
    const released: unknown[] = []
    const store = storeWith(memory, {
      claim: async (request) => {
        const result = await memory.claim({ ...request, leaseMs: 60_000 })
        await clock.sleep(ms)
        return result
      },
      release: async (claim) => {
        released.push(claim)
        await memory.release(claim)
      },
    })
    const called: string[] = []
    const { receiver } = setUpReceiver({ clock, store, on: { 'note.ended': ({ event_id }) => called.push(event_id) } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(ms)
    expect((await outcome).status).toBe(status)
    expect(called).toHaveLength(calls)
    expect(released).toHaveLength(1 - calls)
  })

  it.each([
    ['by never answering', () => new Promise<never>(() => undefined)],
    ['slowly', (clock: ManualClock) => clock.sleep(4_000).then(() => Promise.reject(new Error('timed out')))],
  ])('%s stops the handler when its lease has run out, and no later', async (_how, renew) => {
    const { clock, receiver, stopped } = setUpDiligent((clock) => ({ renew: () => renew(clock) }))
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(19_999)
    expect(stopped).toHaveLength(0)
    await clock.advance(1)
    expect(stopped).toHaveLength(1)
    expect((await outcome).status).toBe('claim-lost')
  })
})
