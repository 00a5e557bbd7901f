import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { heldHandler } from '../../fixtures/held-handler.ts'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import type { ReceiverOptions } from '../options/receiver-options.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import type { HandlerContext } from './handlers.ts'

const MINUTE_MS = 60_000

let unhandled: unknown[] = []
const onUnhandled = (error: unknown) => unhandled.push(error)
beforeEach(() => {
  unhandled = []
  process.on('unhandledRejection', onUnhandled)
})
afterEach(() => void process.off('unhandledRejection', onUnhandled))

/** A receiver whose handler of `note.ended` never settles by itself. */
function setUpHanging(options: Omit<Partial<ReceiverOptions>, 'clock'> & { readonly clock?: ManualClock } = {}) {
  const held = heldHandler()
  const contexts: HandlerContext[] = []
  const hang = (_event: unknown, context: HandlerContext) => {
    contexts.push(context)
    return held.handle()
  }
  return {
    ...setUpReceiver({ on: { 'note.ended': hang, 'note.updated': () => undefined }, ...options }),
    contexts,
    held,
  }
}

describe('a handler that does not settle', () => {
  it('is given up after 15 min: the signal fires, and the outcome is handler-timeout', async () => {
    const { clock, contexts, deliver, held, logger, outcomes } = setUpHanging()
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await held.begun
    await clock.advance(15 * MINUTE_MS - 1)
    expect((await response).status).toBe(503)
    expect(outcomes).toEqual([])
    expect(contexts[0]?.signal.aborted).toBe(false)
    await clock.advance(1)
    expect(outcomes.map(({ status }) => status)).toEqual(['handler-timeout'])
    expect(contexts[0]?.signal.reason).toMatchObject({
      name: 'AbortError',
      message: 'the handler took longer than handlerTimeoutMs (900000 ms)',
    })
    expect(logger.lines.at(-1)).toMatch(/^error a handler took longer than handlerTimeoutMs/)
  })

  it('is given up after 15 min in `process` too, which queue workers call', async () => {
    const { clock, held, receiver } = setUpHanging()
    let ended = false
    const outcome = receiver.process(anEvent({ kind: 'note.ended' })).finally(() => {
      ended = true
    })
    await held.begun
    await clock.advance(15 * MINUTE_MS - 1)
    expect(ended).toBe(false)
    await clock.advance(1)
    expect((await outcome).status).toBe('handler-timeout')
  })

  it('is given up after handlerTimeoutMs, where that is set, and the delivery is answered 503', async () => {
    const { clock, deliver, held, receiver } = setUpHanging({ handlerTimeoutMs: 2_000 })
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await held.begun
    await clock.advance(2_000)
    expect((await response).status).toBe(503)
    const processed = receiver.process(anEvent({ kind: 'note.ended', revision: 2 }))
    await clock.advance(2_000)
    expect((await processed).status).toBe('handler-timeout')
  })

  it('gives its note to an event that waits for it, and the event itself to its next attempt', async () => {
    const { clock, held, receiver } = setUpHanging({ handlerTimeoutMs: 20_000 })
    const event = anEvent({ kind: 'note.ended', revision: 1 })
    const first = receiver.process(event)
    await held.begun
    await clock.advance(19_000)
    const waiting = receiver.process(anEvent({ kind: 'note.updated', revision: 2 }))
    await clock.advance(1_000)
    expect((await first).status).toBe('handler-timeout')
    expect((await waiting).status).toBe('applied')
    expect((await receiver.process(event)).status).toBe('stale')
  })

  it('has its claim renewed no more', async () => {
    const clock = new ManualClock()
    const memory = memoryStore({ clock })
    let renewals = 0
    const renew: ReceiverStore['renew'] = (claim, leaseMs) => {
      renewals += 1
      return memory.renew(claim, leaseMs)
    }
    const { held, receiver } = setUpHanging({ clock, store: storeWith(memory, { renew }), handlerTimeoutMs: 12_000 })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await held.begun
    await clock.advance(MINUTE_MS)
    expect((await outcome).status).toBe('handler-timeout')
    expect(renewals).toBe(2)
    expect(clock.sleeping).toBe(0)
  })

  it.each([
    ['returns', (held: ReturnType<typeof heldHandler>) => held.end(), '"ended":"returned"'],
    [
      'throws',
      (held: ReturnType<typeof heldHandler>) => held.fail(new TypeError('a note')),
      '"ended":"threw","error":"TypeError"',
    ],
  ])('and %s late is told once to the log, and changes nothing', async (_how, end, told) => {
    const { clock, held, logger, outcomes, receiver } = setUpHanging({ handlerTimeoutMs: 1_000 })
    const event = anEvent({ kind: 'note.ended' })
    const outcome = receiver.process(event)
    await held.begun
    await clock.advance(1_000)
    await outcome
    end(held)
    await clock.advance(0)
    expect(outcomes.map(({ status }) => status)).toEqual(['handler-timeout'])
    const lines = logger.lines.filter((line) =>
      line.startsWith('warn a handler ended after the receiver had released its claim'),
    )
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(told)
    expect(lines[0]).toContain(event.event_id)
    expect(logger.lines.join()).not.toContain('a note')
    expect(unhandled).toEqual([])
  })

  it('leaves no timer behind when it settles in time', async () => {
    const { clock, held, logger, receiver } = setUpHanging()
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await held.begun
    held.end()
    expect((await outcome).status).toBe('applied')
    expect(clock.sleeping).toBe(0)
    expect(logger.lines).toEqual([])
  })

  it('whose claim was lost before counts as lost', async () => {
    const { clock, held, receiver } = setUpHanging({
      handlerTimeoutMs: MINUTE_MS,
      store: storeWith(memoryStore(), { renew: async () => 'lost' }),
    })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await held.begun
    await clock.advance(MINUTE_MS)
    expect((await outcome).status).toBe('claim-lost')
  })
})

describe('the option handlerTimeoutMs', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 86_100_001, '900000'])(
    'refuses %s',
    (handlerTimeoutMs) => {
      expect(() => setUpReceiver({ handlerTimeoutMs: handlerTimeoutMs as number })).toThrow(
        /handlerTimeoutMs must be a whole number from 1 to 86100000/,
      )
    },
  )
})
