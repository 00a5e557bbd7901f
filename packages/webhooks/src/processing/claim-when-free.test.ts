import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { heldHandler } from '../../fixtures/held-handler.ts'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import type { HandlerContext } from './handlers.ts'

/** A receiver whose first update is at work, and the moment at which the next is told to wait. */
async function setUpBusy() {
  const clock = new ManualClock()
  const memory = memoryStore({ clock })
  const slow = heldHandler()
  const toldToWait = Promise.withResolvers<void>()
  const asked: number[] = []
  const store = storeWith(memory, {
    claim: async (request) => {
      asked.push(clock.now())
      const result = await memory.claim(request)
      if (result.status === 'busy') toldToWait.resolve()
      return result
    },
  })
  const handle = ({ data }: { data: { revision: number } }) => (data.revision === 1 ? slow.handle() : undefined)
  const parts = setUpReceiver({ clock, store, on: { 'note.updated': handle } })
  const first = parts.receiver.process(anEvent({ kind: 'note.updated', revision: 1 }))
  await slow.begun
  return { ...parts, asked, first, memory, slow, toldToWait: toldToWait.promise }
}

describe('an event whose note is busy', () => {
  it('waits two seconds for it, then is answered 503 so that it comes again', async () => {
    const { clock, deliver, first, logger, slow, toldToWait } = await setUpBusy()
    let answered = false
    const second = deliver(anEvent({ kind: 'note.updated', revision: 2 })).finally(() => {
      answered = true
    })
    await toldToWait
    await clock.advance(1_999)
    expect(answered).toBe(false)
    await clock.advance(1)
    expect((await second).status).toBe(503)
    expect((await second).headers.get('retry-after')).toBe('30')
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn the event, or another event of its note, is still being processed/),
    ])
    slow.end()
    expect((await first).status).toBe('applied')
  })

  it.each([0, 1_000])(
    'is applied as soon as the other is done, without waiting for the next look: after %i ms',
    async (ms) => {
      const { clock, deliver, first, slow, toldToWait } = await setUpBusy()
      const second = deliver(anEvent({ kind: 'note.updated', revision: 2 }))
      await toldToWait
      await clock.advance(ms)
      slow.end()
      expect((await first).status).toBe('applied')
      expect((await second).status).toBe(204)
      expect(clock.sleeping).toBe(0)
    },
  )

  it('does not miss an ending that comes while the store answers', async () => {
    const clock = new ManualClock()
    const memory = memoryStore({ clock })
    const slow = heldHandler()
    const toldToWait = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<unknown>()
    const store = storeWith(memory, {
      claim: async (request) => {
        const result = await memory.claim(request)
        if (result.status !== 'busy') return result
        toldToWait.resolve()
        await ended.promise
        return result
      },
    })
    const handle = ({ data }: { data: { revision: number } }) => (data.revision === 1 ? slow.handle() : undefined)
    const { receiver } = setUpReceiver({ clock, store, on: { 'note.updated': handle } })
    const first = receiver.process(anEvent({ kind: 'note.updated', revision: 1 }))
    await slow.begun
    const second = receiver.process(anEvent({ kind: 'note.updated', revision: 2 }))
    await toldToWait.promise
    slow.end()
    ended.resolve(await first)
    expect((await second).status).toBe('applied')
  })

  it('is not kept waiting by another that has given up meanwhile', async () => {
    const { clock, first, receiver, slow, toldToWait } = await setUpBusy()
    const impatient = receiver.process(anEvent({ kind: 'note.updated', revision: 2 }))
    await toldToWait
    await clock.advance(1_900)
    const second = receiver.process(anEvent({ kind: 'note.updated', revision: 3 }))
    await clock.advance(110)
    expect((await impatient).status).toBe('busy')
    slow.end()
    expect((await first).status).toBe('applied')
    expect((await second).status).toBe('applied')
  })

  it('is applied as soon as the other has failed', async () => {
    const { first, receiver, slow, toldToWait } = await setUpBusy()
    const second = receiver.process(anEvent({ kind: 'note.updated', revision: 2 }))
    await toldToWait
    slow.fail(new Error('it could not be saved'))
    expect((await first).status).toBe('failed')
    expect((await second).status).toBe('applied')
  })

  it('looks ever less often for a worker in another process: after 25 ms first, every 250 ms at last', async () => {
    const { asked, clock, first, receiver, slow, toldToWait } = await setUpBusy()
    const second = receiver.process(anEvent({ kind: 'note.updated', revision: 2 }))
    await toldToWait
    await clock.advance(2_000)
    expect((await second).status).toBe('busy')
    const [, ...looks] = asked
    const pauses = looks.map((at, index) => at - (looks[index - 1] ?? at)).filter((ms) => ms > 0)
    expect(pauses.slice(0, 5)).toEqual([25, 50, 100, 200, 250])
    expect(Math.max(...pauses)).toBe(250)
    slow.end()
    await first
  })

  it('is applied at the next look when a worker in another process is done', async () => {
    const { clock, first, memory, receiver, slow } = await setUpBusy()
    slow.end()
    await first
    const elsewhere = await memory.claim({
      integration: 'default',
      eventId: 'evt_elsewhere',
      note: { noteId: 'note_1' },
      gate: 'off',
      leaseMs: 20_000,
      keepMs: 97_200_000,
    })
    if (elsewhere.status !== 'claimed') throw new Error('the note should be free')
    const second = receiver.process(anEvent({ kind: 'note.updated', revision: 2 }))
    await clock.advance(1_000)
    await memory.release(elsewhere.claim)
    await clock.advance(250)
    expect((await second).status).toBe('applied')
  })

  it.each([0, 60])('does not keep a receiver from closing: after %i ms it is busy at once', async (ms) => {
    const { clock, first, receiver, slow, toldToWait } = await setUpBusy()
    const second = receiver.process(anEvent({ kind: 'note.updated', revision: 2 }))
    await toldToWait
    await clock.advance(ms)
    const closed = receiver.close()
    expect((await second).status).toBe('busy')
    slow.end()
    await closed
    expect((await first).status).toBe('applied')
  })

  it('leaves no listener on the signal of its handler', async () => {
    const listeners: number[] = []
    const clock = new ManualClock()
    const slow = heldHandler()
    const handle = ({ data }: { data: { revision: number } }, { signal }: HandlerContext) => {
      if (data.revision === 1) return slow.handle()
      return void listeners.push(getEventListeners(signal, 'abort').length)
    }
    const { receiver } = setUpReceiver({ clock, on: { 'note.updated': handle } })
    const first = receiver.process(anEvent({ kind: 'note.updated', revision: 1 }))
    await slow.begun
    const second = receiver.process(anEvent({ kind: 'note.updated', revision: 2 }))
    await clock.advance(1_000)
    slow.end()
    expect([(await first).status, (await second).status]).toEqual(['applied', 'applied'])
    expect(listeners).toEqual([0])
  })
})
