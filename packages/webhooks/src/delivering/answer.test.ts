import { describe, expect, it } from 'vitest'
import { passingHeaders } from '../../fixtures/passing-headers.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'

describe('what must come again is never answered 2xx', () => {
  const down = () => Promise.reject(new Error('the store is down: password=hunter2'))
  const deliverWith = async (ways: Partial<ReceiverStore>) => {
    const store = storeWith(memoryStore(), ways)
    const { deliver, logger, outcomes } = setUpReceiver({ store, on: { 'note.ended': () => undefined } })
    const { status, headers } = await deliver(anEvent({ kind: 'note.ended' }))
    return { status, retryAfter: headers.get('retry-after'), outcomes, lines: logger.lines.join() }
  }

  it.each([
    ['claim', { claim: down }],
    ['commit', { commit: down }],
  ])('when the store cannot %s, which the log tells without quoting it', async (_operation, ways) => {
    const { status, retryAfter, outcomes, lines } = await deliverWith(ways)
    expect([status, retryAfter]).toEqual([503, '30'])
    expect(outcomes).toMatchObject([{ status: 'store-failed', error: expect.any(Error) }])
    expect(lines).toMatch(/^error the store failed; the event will be retried .*answer\.test\.ts/)
    expect(lines).not.toContain('hunter2')
  })

  it('when the claim was lost', async () => {
    const { status, retryAfter, lines } = await deliverWith({ commit: () => 'lost' })
    expect([status, retryAfter]).toEqual([503, '30'])
    expect(lines).toMatch(/^warn the receiver lost its claim on an event/)
  })

  it('when the handler failed, even if the claim cannot be given back', async () => {
    const { deliver } = setUpReceiver({
      store: storeWith(memoryStore(), { release: down }),
      on: { 'note.ended': () => Promise.reject(new Error('the handler too')) },
    })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(500)
  })

  it('when an adapter fails to read the body', async () => {
    const { clock, logger, receiver } = setUpReceiver()
    const headers = await passingHeaders(clock.now())
    const readBody = () => Promise.reject(new Error('hunter2'))
    expect((await receiver.respond({ method: 'POST', path: '/', headers, readBody })).status).toBe(500)
    expect(logger.lines.join()).toMatch(/^error the receiver failed/)
    expect(logger.lines.join()).not.toContain('hunter2')
  })

  it('and a claim whose commit failed is given back at once', async () => {
    const memory = memoryStore()
    let failures = 1
    const seen: string[] = []
    const { deliver } = setUpReceiver({
      store: storeWith(memory, { commit: (claim) => (failures-- > 0 ? down() : memory.commit(claim)) }),
      on: { 'note.ended': ({ event_id }) => void seen.push(event_id) },
    })
    const event = anEvent({ kind: 'note.ended' })
    expect((await deliver(event)).status).toBe(503)
    expect((await deliver(event)).status).toBe(204)
    expect(seen).toHaveLength(2)
  })
})

it('a store may return promises of its own kind, whose `then` returns nothing', async () => {
  const memory = memoryStore()
  const later = <Value>(value: Value) =>
    Object.fromEntries([['then', (resolve: (value: Value) => void) => void setImmediate(resolve, value)]])
  const store = storeWith(memory, {
    claim: (request) => later(memory.claim(request)) as never,
    commit: (claim) => later(memory.commit(claim)) as never,
  })
  const { deliver, outcomes } = setUpReceiver({ store, on: { 'note.ended': () => undefined } })
  expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
  expect(outcomes.map(({ status }) => status)).toEqual(['applied'])
})
