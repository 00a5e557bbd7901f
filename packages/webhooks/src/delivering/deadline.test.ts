import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { heldHandler } from '../../fixtures/held-handler.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import type { HandlerContext } from '../processing/handlers.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'

describe('a handler that is slower than the service waits', () => {
  it('is answered for at eight seconds, and finishes', async () => {
    const waited: Promise<unknown>[] = []
    const slow = heldHandler()
    const { clock, deliver, outcomes, logger } = setUpReceiver({
      on: { 'note.ended': slow.handle },
      waitUntil: (work) => waited.push(work),
    })
    const event = anEvent({ kind: 'note.ended' })
    const response = deliver(event)
    await slow.begun
    await clock.advance(7_999)
    expect(waited).toEqual([])
    await clock.advance(1)
    expect((await response).status).toBe(503)
    expect((await response).headers.get('retry-after')).toBe('30')
    expect(waited).toHaveLength(1)
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn a handler has not ended 8 s after the delivery arrived/),
    ])

    slow.end()
    expect(await Promise.all(waited)).toMatchObject([{ status: 204 }])
    expect(outcomes).toMatchObject([{ status: 'applied' }])
    expect((await deliver(event)).status).toBe(204)
    expect(outcomes).toMatchObject([{ status: 'applied' }, { status: 'duplicate' }])
  })

  it('is told of by the hook `onOverdue`, once', async () => {
    const slow = heldHandler()
    const overdue: unknown[] = []
    const { clock, deliver } = setUpReceiver({
      on: { 'note.ended': slow.handle },
      hooks: { onOverdue: (event) => overdue.push(event) },
    })
    const event = anEvent({ kind: 'note.ended' })
    const response = deliver(event)
    await slow.begun
    await clock.advance(8_000)
    await response
    await clock.advance(8_000)
    slow.end()
    expect(overdue).toEqual([event])
  })

  it('is not asked to stop at the deadline', async () => {
    const slow = heldHandler()
    const contexts: HandlerContext[] = []
    const workOn = (_event: unknown, context: HandlerContext) => {
      contexts.push(context)
      return slow.handle()
    }
    const { clock, deliver } = setUpReceiver({ on: { 'note.ended': workOn } })
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await slow.begun
    await clock.advance(9_000)
    await response
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false])
    slow.end()
  })

  it('is answered for all the same when `waitUntil` throws', async () => {
    const slow = heldHandler()
    const { clock, deliver, logger } = setUpReceiver({
      on: { 'note.ended': slow.handle },
      waitUntil: () => {
        throw new Error('outside of a request')
      },
    })
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await slow.begun
    await clock.advance(8_000)
    expect((await response).status).toBe(503)
    expect(logger.lines.join()).toMatch(/a hook threw/)
  })

  it('is kept alive by the `waitUntil` of the attempt, where there is one, and not by the option of that name', async () => {
    const kept: string[] = []
    const slow = heldHandler()
    const { clock, receiver } = setUpReceiver({
      on: { 'note.ended': slow.handle },
      waitUntil: () => kept.push('by the option'),
    })
    const event = anEvent({ kind: 'note.ended' })
    const { headers, body } = await signAttempt(TEST_SECRET, event, { signedAt: clock.now() })
    const answer = receiver.respond({
      method: 'POST',
      path: '/',
      headers,
      readBody: async () => ({ status: 'read', bytes: Buffer.from(body) }),
      waitUntil: () => kept.push('by the attempt'),
    })
    await slow.begun
    await clock.advance(8_000)
    expect((await answer).status).toBe(503)
    expect(kept).toEqual(['by the attempt'])
  })
})

describe('a handler that finishes in time', () => {
  it('is never called slow', async () => {
    const waited: Promise<unknown>[] = []
    const overdue: string[] = []
    const { clock, deliver, logger } = setUpReceiver({
      on: { 'note.ended': () => undefined },
      waitUntil: (work) => waited.push(work),
      hooks: { onOverdue: ({ event_id }) => overdue.push(event_id) },
    })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    await clock.advance(60_000)
    await nextTurn()
    expect({ waited, overdue, lines: logger.lines }).toEqual({ waited: [], overdue: [], lines: [] })
  })

  it('leaves no timer behind, which would keep the process from ending', async () => {
    const { clock, deliver } = setUpReceiver({ on: { 'note.ended': () => nextTurn() } })
    await deliver(anEvent({ kind: 'note.ended' }))
    await deliver('no event')
    expect(clock.sleeping).toBe(0)
  })
})
