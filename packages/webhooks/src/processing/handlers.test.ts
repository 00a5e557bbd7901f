import type { UnknownEvent } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { heldHandler } from '../../fixtures/held-handler.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { anEvent, anUnknownEvent } from '../testing/an-event.ts'
import type { HandlerContext } from './handlers.ts'

describe('a handler', () => {
  it.each([
    'note.ended',
    'note.summary.generated',
    'note.updated',
    'note.deleted',
    'endpoint.verification',
    'endpoint.test',
  ] as const)('is called for its own kind alone: %s', async (kind) => {
    const seen: unknown[] = []
    const { deliver, outcomes } = setUpReceiver({ on: { [kind]: (event: unknown) => void seen.push(event) } })
    const event = anEvent({ kind, noteId: 'note_1' })
    await deliver(event)
    await deliver(anEvent({ kind: kind === 'note.ended' ? 'note.updated' : 'note.ended', noteId: 'note_2' }))
    expect(seen).toEqual([event])
    expect(outcomes.map(({ status }) => status)).toEqual(['applied', 'unhandled'])
  })

  it('may pass on what it was given, in an object of its own', async () => {
    const seen: HandlerContext[] = []
    const { deliver } = setUpReceiver({ on: { 'note.ended': (_event, context) => void seen.push({ ...context }) } })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(Object.keys(seen[0] ?? {}).toSorted()).toEqual([
      'applied',

      'deadlineAt',
      'headers',
      'integration',
      'logger',
      'prepared',
      'setAppliedRevision',
      'signal',
    ])
    expect(seen[0]?.signal).toBeInstanceOf(AbortSignal)
  })

  it.each([
    ['a response', () => new Response('no', { status: 500 })],
    ['a promise of a response', async () => new Response(null, { status: 204 })],
    ['a response of another library', () => ({ [Symbol.toStringTag]: 'Response', status: 500 })],
  ])('that returns %s fails: a response does not reach the service', async (_, handler) => {
    const { deliver, outcomes } = setUpReceiver({ on: { 'note.ended': handler as () => void } })
    const event = anEvent({ kind: 'note.ended' })
    expect((await deliver(event)).status).toBe(500)
    expect(outcomes).toMatchObject([{ status: 'failed', error: { code: 'response_returned' } }])
    expect((await deliver(event)).status).toBe(500)
  })

  it('of unknown kinds fails in the same way', async () => {
    const onUnknown = (() => Response.json({ ok: false })) as () => unknown as () => void
    const { deliver } = setUpReceiver({ on: {}, onUnknown })
    expect((await deliver(anUnknownEvent())).status).toBe(500)
  })

  it.each([false, undefined, null, 0, '', { status: 500 }])('succeeds if it returns %j', async (returned) => {
    const { deliver, outcomes } = setUpReceiver({
      on: { 'note.ended': () => returned, 'note.updated': async () => returned },
    })
    expect((await deliver(anEvent({ kind: 'note.ended', noteId: 'note_1' }))).status).toBe(204)
    expect((await deliver(anEvent({ kind: 'note.updated', noteId: 'note_2' }))).status).toBe(204)
    expect(outcomes).toMatchObject([{ status: 'applied' }, { status: 'applied' }])
  })

  it('may return a function with a `then`, as some query builders and proxies do', async () => {
    let hasEnded = false
    const then = (resolve: () => void) => {
      setImmediate(() => {
        hasEnded = true
        resolve()
      })
    }
    const { deliver } = setUpReceiver({
      on: { 'note.ended': () => Object.assign(() => undefined, { then }) as unknown as PromiseLike<void> },
    })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    expect(hasEnded).toBe(true)
  })

  it('is shown the headers of the attempt, and when the service wants its answer', async () => {
    const seen: HandlerContext[] = []
    const { clock, deliver } = setUpReceiver({ on: { 'note.ended': (_event, context) => void seen.push(context) } })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(seen[0]?.headers.get('webhook-id')).toMatch(/^msg_/)
    expect(seen[0]?.deadlineAt).toBe(clock.now() + 8_000)
    expect(seen[0]?.signal.aborted).toBe(false)
  })

  it('is shown the same signal and headers, however often it looks', async () => {
    const same: boolean[] = []
    const { deliver } = setUpReceiver({
      on: {
        'note.ended': (_event, context) => {
          const { signal, headers } = context
          same.push(context.signal === signal, context.headers === headers)
        },
      },
    })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(same).toEqual([true, true])
  })

  it('in a queue worker has no headers and no deadline', async () => {
    const seen: HandlerContext[] = []
    const { receiver } = setUpReceiver({ on: { 'note.ended': (_event, context) => void seen.push(context) } })
    await receiver.process(anEvent({ kind: 'note.ended' }))
    expect([...(seen[0]?.headers ?? ['none'])]).toEqual([])
    expect(seen[0]?.deadlineAt).toBeUndefined()
  })

  it('has a logger that names the event in every line', async () => {
    const event = anEvent({ kind: 'note.ended', eventId: 'evt_1' })
    const { deliver, logger } = setUpReceiver({
      on: {
        'note.ended': (_event, context) => {
          context.logger.info('begun')
          context.logger.warn('slow', { ms: 7 })
          context.logger.error('over')
        },
      },
    })
    await deliver(event)
    expect(logger.lines).toEqual([
      'info begun {"event_id":"evt_1","event_type":"note.ended"}',
      'warn slow {"event_id":"evt_1","event_type":"note.ended","ms":7}',
      'error over {"event_id":"evt_1","event_type":"note.ended"}',
    ])
  })

  it('that throws has its error in the hook, and only its name, code and place in the log', async () => {
    const error = Object.assign(new TypeError('note "Salaries 2026" has no owner'), { code: 'NO_OWNER' })
    const { deliver, logger, outcomes } = setUpReceiver({ on: { 'note.ended': () => Promise.reject(error) } })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(500)
    expect(outcomes).toMatchObject([{ status: 'failed', error }])
    expect(logger.lines.join()).toMatch(/a handler failed.*TypeError.*NO_OWNER.*handlers\.test\.ts/)
    expect(logger.lines.join()).not.toContain('Salaries')
  })

  it('may throw anything, in its promise or at once', async () => {
    for (const thrown of [undefined, null, 'text', 7, Object.create(null)]) {
      const later = setUpReceiver({ on: { 'note.ended': () => Promise.reject(thrown) } })
      expect((await later.deliver(anEvent({ kind: 'note.ended' }))).status).toBe(500)
      const throwAtOnce = () => {
        throw thrown
      }
      const atOnce = setUpReceiver({ on: { 'note.ended': throwAtOnce } })
      expect((await atOnce.deliver(anEvent({ kind: 'note.ended' }))).status).toBe(500)
    }
  })
})

describe('an event of an unknown kind', () => {
  it('is acknowledged without a handler, and given to `onUnknown` with one (row 26)', async () => {
    const event = anUnknownEvent({ noteId: 'note_1' })
    expect((await setUpReceiver().deliver(event)).status).toBe(204)
    const seen: unknown[] = []
    expect((await setUpReceiver({ onUnknown: (unknown) => void seen.push(unknown) }).deliver(event)).status).toBe(204)
    expect(seen).toEqual([event])
  })

  it('is never stale, and makes nothing stale', async () => {
    const seen: string[] = []
    const { deliver } = setUpReceiver({
      on: { 'note.updated': ({ event_id }) => void seen.push(event_id) },
      onUnknown: ({ event_id }) => void seen.push(event_id),
    })
    const unknown = { ...anUnknownEvent(), data: { note_id: 'note_1', revision: 99 } }
    const update = anEvent({ kind: 'note.updated', revision: 5 })
    const laterUnknown = { ...anUnknownEvent(), data: { note_id: 'note_1', revision: 1 } }
    for (const event of [unknown, update, laterUnknown]) expect((await deliver(event)).status).toBe(204)
    expect(seen).toEqual([unknown.event_id, update.event_id, laterUnknown.event_id])
  })

  it('keeps other events of its note waiting while its handler runs', async () => {
    const unknown = heldHandler()
    const { clock, receiver } = setUpReceiver({ onUnknown: unknown.handle, on: { 'note.updated': () => undefined } })
    const first = receiver.process(anUnknownEvent({ noteId: 'note_1' }))
    await unknown.begun
    const second = receiver.process(anEvent({ kind: 'note.updated', noteId: 'note_1' }))
    expect((await receiver.process(anEvent({ kind: 'note.updated', noteId: 'note_2' }))).status).toBe('applied')
    await clock.advance(2_000)
    expect((await second).status).toBe('busy')
    unknown.end()
    expect((await first).status).toBe('applied')
  })

  it.each([
    ['without a note', {}],
    ['whose note is no text', { note_id: 7 }],
  ])('%s does not wait for another event', async (_which, data) => {
    const held = heldHandler()
    const { receiver } = setUpReceiver({ onUnknown: held.handle, on: { 'endpoint.test': () => undefined } })
    const unknown = (eventId: string): UnknownEvent => ({ ...anUnknownEvent({ eventId }), data })
    const first = receiver.process(unknown('evt_1'))
    await held.begun
    const second = receiver.process(unknown('evt_2'))
    held.end()
    expect([(await first).status, (await second).status]).toEqual(['applied', 'applied'])
  })
})
