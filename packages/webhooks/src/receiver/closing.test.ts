import { describe, expect, it } from 'vitest'
import { heldHandler } from '../fixtures/held-handler.ts'
import { setUpReceiver } from '../fixtures/set-up-receiver.ts'
import { storeWith } from '../fixtures/store-with.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import type { HandlerContext } from './handlers.ts'

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
    await clock.advance(60_000)
    expect(closed).toBe(false)
    slow.end()
    await closing
    expect((await outcome).status).toBe('applied')
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
    expect((await outcome).status).toBe('failed')

    const late = await deliver(anEvent({ kind: 'note.ended' }))
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '30'])
    expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'closing'])
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
