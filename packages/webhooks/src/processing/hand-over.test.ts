import type { WebhookEvent } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { OTHER_TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { anEvent, anUnknownEvent } from '../testing/an-event.ts'
import type { EventQueue } from './sink.ts'

function aQueue() {
  const queued: [integration: string, event: WebhookEvent][] = []
  const queue: EventQueue = async (event, { integration }) => queued.push([integration, event])
  return { queue, queued }
}

describe('a receiver with a queue', () => {
  it('acknowledges an event once the queue holds it, and leaves it to workers', async () => {
    const held = Promise.withResolvers<void>()
    const handled: unknown[] = []
    const { deliver, outcomes } = setUpReceiver({
      queue: () => held.promise,
      on: { 'note.ended': (event) => handled.push(event) },
    })
    let answered = false
    const response = deliver(anEvent({ kind: 'note.ended' })).finally(() => {
      answered = true
    })
    await new Promise(setImmediate)
    expect(answered).toBe(false)
    held.resolve()
    expect((await response).status).toBe(204)
    expect(handled).toEqual([])
    expect(outcomes).toEqual([])
  })

  it('tells the hook of an event when the queue has confirmed it, and not when it has failed', async () => {
    const told: WebhookEvent[] = []
    const hooks = { onQueued: (event: WebhookEvent) => told.push(event) }
    const event = anEvent({ kind: 'note.ended' })
    await setUpReceiver({ hooks, queue: aQueue().queue }).deliver(event)
    await setUpReceiver({ hooks, queue: () => Promise.reject(new Error('down')) }).deliver(event)
    expect(told).toEqual([event])
  })

  it('queues known and unknown kinds under its integration', async () => {
    const { queue, queued } = aQueue()
    const { deliver, receiver } = setUpReceiver({ queue, integration: 'key_7' })
    const events = [anEvent({ kind: 'note.deleted' }), anUnknownEvent({ noteId: 'note_1' })]
    for (const event of events) expect((await deliver(event)).status).toBe(204)
    expect(queued).toEqual(events.map((event) => ['key_7', event]))
    expect(receiver.integration).toBe('key_7')
  })

  it.each(['endpoint.verification', 'endpoint.test'] as const)('processes %s itself', async (kind) => {
    const { queue, queued } = aQueue()
    const { deliver, outcomes } = setUpReceiver({ queue, on: { [kind]: () => undefined } })
    expect((await deliver(anEvent({ kind }))).status).toBe(204)
    expect(outcomes).toMatchObject([{ status: 'applied' }])
    expect(queued).toEqual([])
  })

  it('queues nothing that is not verified', async () => {
    const { queue, queued } = aQueue()
    const { deliver } = setUpReceiver({ queue })
    expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(401)
    expect(queued).toEqual([])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('redis://user:password@host is away'))],
    [
      'throws',
      () => {
        throw new Error('redis://user:password@host is away')
      },
    ],
  ])('answers 503 when the queue %s, and quotes no message', async (_, queue) => {
    const { deliver, logger } = setUpReceiver({ queue })
    const response = await deliver(anEvent({ kind: 'note.ended' }))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('30')
    expect(logger.lines).toEqual([expect.stringMatching(/the queue did not accept an event/)])
    expect(logger.lines.join()).not.toContain('password')
  })

  it('answers 503 when the queue has not confirmed after eight seconds, whatever comes of it then', async () => {
    const confirmed = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const queue = () => {
      asked.resolve()
      return confirmed.promise
    }
    const { clock, deliver, logger } = setUpReceiver({ queue })
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await asked.promise
    await clock.advance(8_000)
    expect((await response).status).toBe(503)
    expect((await response).headers.get('retry-after')).toBe('30')
    confirmed.reject(new Error('away'))
    await new Promise(setImmediate)
    expect(logger.lines).toEqual([expect.stringMatching(/did not confirm an event in time/)])
  })

  it('refuses what is no queue', () => {
    expect(() => createReceiver({ secret: () => undefined, on: {}, queue: {} as EventQueue })).toThrow(
      /"queue" is not a function but object/,
    )
  })
})
