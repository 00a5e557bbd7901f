import { OptionError, type WebhookEvent } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { OTHER_TEST_SECRET, TEST_SECRET } from '../../fixtures/secrets.ts'
import type { EventSinkOptions, ReceiverOptions } from '../options/receiver-options.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent, anUnknownEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import type { ProcessOutcome } from './outcome.ts'
import type { EventSink } from './sink.ts'

function setUpSink(sink: EventSink, options: Partial<EventSinkOptions> = {}) {
  const clock = new ManualClock()
  const logger = recordingLogger()
  const outcomes: ProcessOutcome[] = []
  const overdue: WebhookEvent[] = []
  const hooks = {
    onOutcome: (outcome: ProcessOutcome) => outcomes.push(outcome),
    onOverdue: (event: WebhookEvent) => overdue.push(event),
  }
  const receiver = createReceiver({ secret: TEST_SECRET, sink, clock, logger, hooks, ...options })
  const deliver = async (payload: object | string, secret = TEST_SECRET) => {
    const attempt = await signAttempt(secret, payload, { signedAt: clock.now() })
    return await receiver.fetch(new Request('https://receiver.test/hooks', { method: 'POST', ...attempt }))
  }
  return { clock, logger, outcomes, overdue, receiver, deliver }
}

function recordingSink() {
  const given: [event: WebhookEvent, context: unknown][] = []
  const sink: EventSink = async (event, context) => void given.push([event, context])
  return { sink, given }
}

/** A sink that a test settles. */
function heldSink() {
  const called = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const sink: EventSink = () => {
    called.resolve()
    return held.promise
  }
  return { sink, called: called.promise, resolve: held.resolve, reject: held.reject }
}

describe('a receiver with a sink', () => {
  it('answers 204 once the sink has resolved', async () => {
    const { sink, called, resolve } = heldSink()
    const { deliver, outcomes } = setUpSink(sink)
    let isAnswered = false
    const response = deliver(anEvent({ kind: 'note.ended' })).finally(() => {
      isAnswered = true
    })
    await called
    await new Promise(setImmediate)
    expect(isAnswered).toBe(false)
    resolve()
    expect((await response).status).toBe(204)
    expect(outcomes).toMatchObject([{ status: 'applied' }])
  })

  it('gives the sink every event of known and unknown kinds, with the integration and the deadline', async () => {
    const { sink, given } = recordingSink()
    const { clock, deliver } = setUpSink(sink)
    const events = [anEvent({ kind: 'note.deleted' }), anUnknownEvent({ noteId: 'note_1' })]
    for (const event of events) expect((await deliver(event)).status).toBe(204)
    const context = { integration: 'default', deadlineAt: clock.now() + 8_000 }
    expect(given).toEqual(events.map((event) => [event, context]))
  })

  it('gives the sink a repeated event again: it deduplicates nothing', async () => {
    const { sink, given } = recordingSink()
    const { deliver } = setUpSink(sink)
    const event = anEvent({ kind: 'note.updated' })
    for (const _ of [1, 2]) expect((await deliver(event)).status).toBe(204)
    expect(given).toHaveLength(2)
  })

  it.each(['endpoint.verification', 'endpoint.test'] as const)('answers %s with 204 without the sink', async (kind) => {
    const { sink, given } = recordingSink()
    const { deliver, outcomes } = setUpSink(sink)
    expect((await deliver(anEvent({ kind }))).status).toBe(204)
    expect(outcomes).toMatchObject([{ status: 'unhandled' }])
    expect(given).toEqual([])
  })

  it('gives the sink nothing that is not verified or is malformed', async () => {
    const { sink, given } = recordingSink()
    const { deliver } = setUpSink(sink)
    expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(401)
    expect((await deliver({ event_id: 'evt_1' })).status).toBe(400)
    expect(given).toEqual([])
  })

  it('answers 503 if the sink resolves with a response', async () => {
    const { deliver, outcomes } = setUpSink((async () => new Response('no', { status: 500 })) as () => Promise<never>)
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(outcomes).toMatchObject([{ status: 'sink-failed', error: { code: 'response_returned' } }])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('redis://user:password@host is away'))],
    [
      'throws',
      () => {
        throw new Error('redis://user:password@host is away')
      },
    ],
  ])('answers 503 if the sink %s, and logs no message of its error', async (_, sink) => {
    const { deliver, logger, outcomes } = setUpSink(sink)
    const response = await deliver(anEvent({ kind: 'note.ended' }))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('30')
    expect(await response.json()).toMatchObject({ error: { code: 'unavailable' } })
    expect(outcomes).toMatchObject([{ status: 'sink-failed', error: new Error('redis://user:password@host is away') }])
    expect(logger.lines).toEqual([expect.stringMatching(/the sink failed/)])
    expect(logger.lines.join()).not.toContain('password')
  })

  it('answers 503 after 8 s, and reports the outcome when the sink has settled', async () => {
    const { sink, called, resolve } = heldSink()
    const late: Promise<unknown>[] = []
    const { clock, deliver, logger, outcomes, overdue } = setUpSink(sink, { waitUntil: (work) => late.push(work) })
    const event = anEvent({ kind: 'note.ended' })
    const response = deliver(event)
    await called
    await clock.advance(8_000)
    expect((await response).status).toBe(503)
    expect(await (await response).json()).toMatchObject({ error: { code: 'overdue' } })
    expect(overdue).toEqual([event])
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn a sink has not resolved 8 s after the delivery arrived/),
    ])
    expect(outcomes).toEqual([])
    resolve()
    await Promise.all(late)
    expect(late).toHaveLength(1)
    expect(outcomes).toMatchObject([{ status: 'applied' }])
  })

  it('gives the sink an event that is passed to process, and remembers none to forget', async () => {
    const { sink, given } = recordingSink()
    const { receiver } = setUpSink(sink)
    const event = anEvent({ kind: 'note.ended' })
    expect(await receiver.process(event)).toMatchObject({ status: 'applied' })
    expect(given).toMatchObject([[event, { integration: 'default' }]])
    expect(await receiver.forget(event.event_id)).toBe('unknown')
  })
})

describe('closing a receiver with a sink', () => {
  it('waits for running sinks, and answers 503 meanwhile without calling the sink', async () => {
    const { sink, called, resolve } = heldSink()
    const { deliver, outcomes, receiver } = setUpSink(sink)
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await called
    const closed = receiver.close()
    const refused = await deliver(anEvent({ kind: 'note.updated' }))
    expect(refused.status).toBe(503)
    expect(outcomes).toMatchObject([{ status: 'closing' }])
    resolve()
    expect(await closed).toBe(0)
    expect((await response).status).toBe(204)
  })

  it('resolves after graceMs with the number of sinks that still run', async () => {
    const { sink, called } = heldSink()
    const { clock, deliver, receiver } = setUpSink(sink)
    void deliver(anEvent({ kind: 'note.ended' }))
    await called
    const closed = receiver.close({ graceMs: 2_000 })
    await clock.advance(2_000)
    expect(await closed).toBe(1)
    expect(await receiver.close()).toBe(1)
  })

  it('waits for a queue that has not confirmed an event', async () => {
    const confirmed = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const queue = () => {
      asked.resolve()
      return confirmed.promise
    }
    const clock = new ManualClock()
    const receiver = createReceiver({ secret: TEST_SECRET, on: {}, queue, clock })
    const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }), { signedAt: clock.now() })
    const response = receiver.fetch(new Request('https://receiver.test/hooks', { method: 'POST', ...attempt }))
    await asked.promise
    let isClosed = false
    const closed = receiver.close().finally(() => {
      isClosed = true
    })
    await new Promise(setImmediate)
    expect(isClosed).toBe(false)
    confirmed.resolve()
    expect(await closed).toBe(0)
    expect((await response).status).toBe(204)
  })
})

describe('the option sink', () => {
  const excluded: readonly [keyof ReceiverOptions, unknown][] = [
    ['on', {}],
    ['onUnknown', () => undefined],
    ['store', memoryStore()],
    ['queue', { enqueue: async () => undefined }],
    ['revisionGate', 'off'],
    ['dedupWindowMs', 259_200_000],
    ['handlerTimeoutMs', 1_000],
  ]
  it.each(excluded)('is refused together with %s', (option, value) => {
    const options = { secret: TEST_SECRET, sink: async () => undefined, [option]: value } as unknown as ReceiverOptions
    expect(() => createReceiver(options)).toThrow(OptionError)
    expect(() => createReceiver(options)).toThrow(new RegExp(`^${option} has no effect with the option sink`))
  })

  it('is refused if it is not a function', () => {
    const sink = { enqueue: async () => undefined } as unknown as EventSink
    expect(() => createReceiver({ secret: TEST_SECRET, sink })).toThrow(/"sink" is not a function/)
  })
})
