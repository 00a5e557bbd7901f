import { describe, expect, it } from 'vitest'
import { heldHandler } from '../../fixtures/held-handler.ts'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import type { HandlerContext } from './handlers.ts'

const HOUR_MS = 3_600_000

describe.each([
  ['an hour ahead', HOUR_MS],
  ['an hour back', -HOUR_MS],
])("when the machine's clock is set %s", (_direction, shift) => {
  it('a handler keeps its lease and is not told to stop', async () => {
    const slow = heldHandler()
    const signals: AbortSignal[] = []
    const work = (_event: unknown, { signal }: HandlerContext) => {
      signals.push(signal)
      return slow.handle()
    }
    const { clock, receiver } = setUpReceiver({ on: { 'note.ended': work } })
    const event = anEvent({ kind: 'note.ended' })
    const first = receiver.process(event)
    await slow.begun
    clock.set(clock.now() + shift)
    const second = receiver.process(event)
    await clock.advance(60_000)
    expect((await second).status).toBe('busy')
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    slow.end()
    expect((await first).status).toBe('applied')
  })

  it('a handler that could not renew its claim for 20 s is told to stop', async () => {
    const clock = new ManualClock()
    const memory = memoryStore({ clock })
    const stopped: number[] = []
    const untilStopped = (_event: unknown, { signal }: HandlerContext) =>
      new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.push(clock.monotonic() - begun)
          reject(signal.reason)
        })
      })
    const store = storeWith(memory, { renew: () => Promise.reject(new Error('the store is away')) })
    const { receiver } = setUpReceiver({ clock, store, on: { 'note.ended': untilStopped } })
    const begun = clock.monotonic()
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(1_000)
    clock.set(clock.now() + shift)
    await clock.advance(30_000)
    expect((await outcome).status).toBe('claim-lost')
    expect(stopped).toEqual([20_000])
  })

  it('an event that waits for another of its note is given up after 2 s', async () => {
    const slow = heldHandler()
    const { clock, receiver } = setUpReceiver({ on: { 'note.ended': slow.handle } })
    const event = anEvent({ kind: 'note.ended' })
    const first = receiver.process(event)
    await slow.begun
    let answered = false
    const second = receiver.process(event).finally(() => {
      answered = true
    })
    await clock.advance(500)
    clock.set(clock.now() + shift)
    await clock.advance(1_499)
    expect(answered).toBe(false)
    await clock.advance(1)
    expect((await second).status).toBe('busy')
    slow.end()
    await first
  })

  it('a claim that the store took its time to give still counts', async () => {
    const clock = new ManualClock()
    const memory = memoryStore({ clock })
    const store = storeWith(memory, {
      claim: async (request) => {
        const result = await memory.claim(request)
        clock.set(clock.now() + shift)
        return result
      },
    })
    const { receiver } = setUpReceiver({ clock, store, on: { 'note.ended': () => undefined } })
    expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('applied')
  })

  it('the timing of an event tells how long it really took', async () => {
    const timings: object[] = []
    const { clock, deliver } = setUpReceiver({
      on: { 'note.ended': () => clock.sleep(300) },
      hooks: { onOutcome: (_outcome, timing) => timings.push(timing) },
    })
    const delivered = deliver(anEvent({ kind: 'note.ended' }))
    await clock.advance(100)
    clock.set(clock.now() + shift)
    await clock.advance(200)
    await delivered
    expect(timings).toEqual([{ waitedMs: 0, handlerMs: 300 }])
  })

  it('an event that was processed stays a duplicate for as long as it is remembered', async () => {
    const { clock, receiver } = setUpReceiver({ on: { 'note.ended': () => undefined }, dedupWindowMs: 27 * HOUR_MS })
    const event = anEvent({ kind: 'note.ended' })
    await receiver.process(event)
    clock.set(clock.now() + 100 * shift)
    await clock.advance(26 * HOUR_MS)
    expect((await receiver.process(event)).status).toBe('duplicate')
  })

  it('drift is told again after an hour', async () => {
    const { clock, deliver, logger } = setUpReceiver()
    const { occurred_at: _, ...event } = anEvent({ kind: 'note.updated' })
    await deliver({ ...event, event_id: 'event_1' })
    clock.set(clock.now() + shift)
    await deliver({ ...event, event_id: 'event_2' })
    expect(logger.lines).toHaveLength(1)
    await clock.advance(HOUR_MS)
    await deliver({ ...event, event_id: 'event_3' })
    expect(logger.lines).toHaveLength(2)
  })

  it('the age of a signature follows the clock that was set', async () => {
    const { clock, deliver } = setUpReceiver({ on: {} })
    const signedBefore = clock.now()
    clock.set(signedBefore + shift)
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    const stale = await deliver(anEvent({ kind: 'note.ended' }), undefined, signedBefore)
    expect(stale.status).toBe(401)
  })
})
