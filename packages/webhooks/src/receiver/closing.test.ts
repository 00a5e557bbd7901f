import { describe, expect, it } from 'vitest'
import { heldHandler } from '../../fixtures/held-handler.ts'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import type { HandlerContext } from '../processing/handlers.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'

describe('a receiver that closes', () => {
  it('has not closed before a handler has ended that takes its time', async () => {
    const slow = heldHandler()
    const { clock, receiver } = setUpReceiver({ on: { 'note.ended': slow.handle } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await slow.begun
    let closed = false
    const closing = receiver.close().then(() => {
      closed = true
    })
    await clock.advance(9_999)
    expect(closed).toBe(false)
    slow.end()
    await closing
    expect((await outcome).status).toBe('applied')
  })

  it('waits for the commit of a handler that called close itself', async () => {
    const clock = new ManualClock()
    let isCommitted = false
    const kept = memoryStore({ clock })
    const store = storeWith(kept, {
      async commit(claim) {
        await new Promise((resolve) => setImmediate(resolve))
        isCommitted = true
        return await kept.commit(claim)
      },
    })
    const stillRunning = new Promise<number>((resolve) => {
      const { receiver } = setUpReceiver({
        clock,
        store,
        on: { 'note.ended': () => void receiver.close().then(resolve) },
      })
      void receiver.process(anEvent({ kind: 'note.ended' }))
    })
    expect(await stillRunning).toBe(0)
    expect(isCommitted).toBe(true)
  })

  it('waits graceMs for handlers, and resolves with how many still run', async () => {
    const slow = heldHandler()
    const stubborn = [heldHandler(), heldHandler()]
    const handlers = [slow, ...stubborn]
    const { clock, logger, receiver } = setUpReceiver({ on: { 'note.ended': () => handlers.shift()?.handle() } })
    const outcomes = [1, 2, 3].map((note) => receiver.process(anEvent({ kind: 'note.ended', noteId: `note_${note}` })))
    await Promise.all([slow, ...stubborn].map(({ begun }) => begun))
    let left: number | undefined
    const closing = receiver.close({ graceMs: 25_000 }).then((count) => {
      left = count
    })
    await clock.advance(24_000)
    slow.end()
    await clock.advance(999)
    expect(left).toBeUndefined()
    await clock.advance(1)
    await closing
    expect(left).toBe(2)
    expect((await Promise.all(outcomes)).map(({ status }) => status)).toEqual(['applied', 'closing', 'closing'])
    for (const { fail } of stubborn) fail(new Error('too late'))
    await clock.advance(0)
    const late = logger.lines.filter((line) =>
      line.startsWith('warn a handler ended after the receiver had released its claim'),
    )
    expect(late).toHaveLength(2)
  })

  it('waits 10 s by default, and gives the claims of handlers that still run to other instances', async () => {
    const clock = new ManualClock()
    const store = memoryStore({ clock })
    const stubborn = heldHandler()
    const { receiver } = setUpReceiver({ clock, store, on: { 'note.ended': stubborn.handle } })
    const event = anEvent({ kind: 'note.ended' })
    const outcome = receiver.process(event)
    await stubborn.begun
    const closed = receiver.close()
    await clock.advance(10_000)
    expect(await closed).toBe(1)
    expect((await outcome).status).toBe('closing')
    const other = setUpReceiver({ clock, store, on: { 'note.ended': () => undefined } }).receiver
    expect((await other.process(event)).status).toBe('applied')
    stubborn.end()
    await clock.advance(0)
    expect((await other.process(event)).status).toBe('duplicate')
  })

  it('counts and waits for a handler that was given up before by its timeout', async () => {
    const stubborn = heldHandler()
    const { clock, receiver } = setUpReceiver({ on: { 'note.ended': stubborn.handle }, handlerTimeoutMs: 1_000 })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await stubborn.begun
    await clock.advance(1_000)
    expect((await outcome).status).toBe('handler-timeout')
    let left: number | undefined
    const closed = receiver.close({ graceMs: 3_000 }).then((count) => {
      left = count
    })
    await clock.advance(2_999)
    expect(left).toBeUndefined()
    await clock.advance(1)
    await closed
    expect(left).toBe(1)
  })

  it('waits until the store has taken back the claims of handlers that still run', async () => {
    const released = Promise.withResolvers<void>()
    const store = storeWith(memoryStore(), { release: () => released.promise })
    const stubborn = heldHandler()
    const { clock, receiver } = setUpReceiver({ store, on: { 'note.ended': stubborn.handle } })
    void receiver.process(anEvent({ kind: 'note.ended' }))
    await stubborn.begun
    let left: number | undefined
    const closed = receiver.close({ graceMs: 0 }).then((count) => {
      left = count
    })
    await clock.advance(1_000)
    expect(left).toBeUndefined()
    released.resolve()
    await closed
    expect(left).toBe(1)
  })

  it('resolves a second call alike', async () => {
    const stubborn = heldHandler()
    const { clock, receiver } = setUpReceiver({ on: { 'note.ended': stubborn.handle } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await stubborn.begun
    const closings = [receiver.close({ graceMs: 1_000 }), receiver.close(), receiver[Symbol.asyncDispose]()]
    await clock.advance(1_000)
    expect(await Promise.all(closings)).toEqual([1, 1, undefined])
    expect(await receiver.close()).toBe(1)
    expect((await outcome).status).toBe('closing')
  })

  it('resolves although the store never answers, 5 s after graceMs at the latest', async () => {
    const never = () => new Promise<never>(() => undefined)
    const { clock, receiver } = setUpReceiver({
      store: storeWith(memoryStore(), { claim: never }),
      on: { 'note.ended': () => undefined },
    })
    void receiver.process(anEvent({ kind: 'note.ended' }))
    const closed = receiver.close({ graceMs: 1_000 })
    await clock.advance(6_000)
    expect(await closed).toBe(0)
  })

  it.each([
    ['a time without its name', 5_000],
    ['the name of a signal, as the listener of the signal', 'SIGTERM'],
    ['null', null],
  ])('refuses %s, and goes on', async (_, given) => {
    const { receiver } = setUpReceiver({ on: { 'note.ended': () => undefined } })
    await expect(receiver.close(given as never)).rejects.toThrow('close needs an object of options. It takes: graceMs.')
    expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('applied')
  })

  it('leaves no timer behind, although a handler never ends', async () => {
    const stubborn = heldHandler()
    const { clock, receiver } = setUpReceiver({ on: { 'note.ended': stubborn.handle } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await stubborn.begun
    const closed = receiver.close({ graceMs: 1_000 })
    await clock.advance(1_000)
    expect(await closed).toBe(1)
    expect((await outcome).status).toBe('closing')
    expect(clock.sleeping).toBe(0)
  })

  it('resolves at once with 0 when nothing runs', async () => {
    const { clock, receiver } = setUpReceiver()
    expect(await receiver.close()).toBe(0)
    expect(clock.sleeping).toBe(0)
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '10'])(
    'refuses graceMs %s, and stays open',
    async (graceMs) => {
      const { receiver } = setUpReceiver({ on: { 'note.ended': () => undefined } })
      await expect(receiver.close({ graceMs: graceMs as number })).rejects.toThrow(/graceMs must be/)
      await expect(receiver.close({ grace: 1 } as never)).rejects.toThrow(/no option "grace"/)
      expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('applied')
    },
  )

  it.each([
    ['the reason of its signal', (reason: unknown) => reason],
    ['an AbortError of its own', () => Object.assign(new Error('aborted'), { name: 'AbortError' })],
    ['an error whose cause is the reason', (cause: unknown) => new Error('the request was cancelled', { cause })],
  ])('takes a handler that throws %s for ended by it, and answers 503', async (_what, make) => {
    const begun = Promise.withResolvers<void>()
    const untilClosing = (_event: unknown, { signal }: HandlerContext) => {
      begun.resolve()
      return new Promise<void>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(make(signal.reason))),
      )
    }
    const memory = memoryStore()
    const { deliver, logger, outcomes, receiver } = setUpReceiver({ store: memory, on: { 'note.ended': untilClosing } })
    const event = anEvent({ kind: 'note.ended' })
    const response = deliver(event)
    await begun.promise
    expect(await receiver.close()).toBe(0)
    expect((await response).status).toBe(503)
    expect(outcomes.map(({ status }) => status)).toEqual(['closing'])
    expect(logger.lines).toEqual([])
    const other = setUpReceiver({ store: memory, on: { 'note.ended': () => undefined } }).receiver
    expect((await other.process(event)).status).toBe('applied')
  })

  it.each([
    ['another error while it closes', true, () => new Error('the mail server is away')],
    ['an AbortError before it closes', false, () => new DOMException('a timeout of its own', 'AbortError')],
  ])('takes a handler that throws %s for failed', async (_what, closes, make) => {
    const slow = heldHandler()
    const { receiver } = setUpReceiver({ on: { 'note.ended': slow.handle } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await slow.begun
    const closed = closes ? receiver.close() : undefined
    slow.fail(make() as Error)
    expect((await outcome).status).toBe('failed')
    await closed
  })

  it('aborts its handlers, waits for them, and begins nothing more', async () => {
    const ended: unknown[] = []
    const begun = Promise.withResolvers<void>()
    const { outcomes, receiver, deliver } = setUpReceiver({
      on: {
        'note.ended': (_event, { signal }) => {
          begun.resolve()
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              ended.push(signal.reason)
              reject(signal.reason)
            })
          })
        },
      },
    })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await begun.promise
    await receiver[Symbol.asyncDispose]()
    ended.push('closed')
    expect(ended).toEqual([
      expect.objectContaining({ name: 'AbortError', message: 'the receiver is closing' }),
      'closed',
    ])
    expect((await outcome).status).toBe('closing')

    const late = await deliver(anEvent({ kind: 'note.ended' }))
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '30'])
    expect(outcomes.map(({ status }) => status)).toEqual(['closing', 'closing'])
  })

  it('is found out by a handler that looks at its signal only then', async () => {
    const slow = heldHandler()
    const aborted: boolean[] = []
    const workOn = async (_event: unknown, context: HandlerContext) => {
      await slow.handle()
      aborted.push(context.signal.aborted)
    }
    const { receiver } = setUpReceiver({ on: { 'note.ended': workOn } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await slow.begun
    const closed = receiver.close()
    slow.end()
    await Promise.all([outcome, closed])
    expect(aborted).toEqual([true])
  })

  it('leaves alone what has ended', async () => {
    const signals: AbortSignal[] = []
    const { receiver } = setUpReceiver({ on: { 'note.ended': (_event, { signal }) => void signals.push(signal) } })
    await receiver.process(anEvent({ kind: 'note.ended' }))
    await receiver.close()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('gives back what it had just claimed, so that another instance can process it at once', async () => {
    const memory = memoryStore()
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const slowStore = storeWith(memory, {
      claim: async (request) => {
        const result = await memory.claim(request)
        asked.resolve()
        await answer.promise
        return result
      },
    })
    const seen: string[] = []
    const on = { 'note.ended': ({ event_id }: { event_id: string }) => void seen.push(event_id) }
    const closing = setUpReceiver({ store: slowStore, on }).receiver
    const event = anEvent({ kind: 'note.ended' })
    const outcome = closing.process(event)
    await asked.promise
    const closed = closing.close()
    answer.resolve()
    await closed
    expect((await outcome).status).toBe('closing')
    expect(seen).toEqual([])
    const other = setUpReceiver({ store: memory, on }).receiver
    expect((await other.process(event)).status).toBe('applied')
  })
})
