import type { NoteUpdatedEvent, WebhookEvent } from '@notewire/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { type MemoryTransaction, memoryTransactions } from '../../fixtures/memory-transactions.ts'
import { recordingLogger } from '../../fixtures/recording-logger.ts'
import { TEST_SECRET } from '../../fixtures/secrets.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { anEvent, anUnknownEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import type { EventContext, TransactionContext } from './handlers.ts'
import type { ProcessOutcome } from './outcome.ts'

let unhandled: unknown[] = []
const onUnhandled = (error: unknown) => unhandled.push(error)
beforeEach(() => {
  unhandled = []
  process.on('unhandledRejection', onUnhandled)
})
afterEach(() => {
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled).toEqual([])
})

type Context = TransactionContext<MemoryTransaction, string>

interface Traits {
  readonly prepare?: (event: WebhookEvent, context: EventContext) => string | Promise<string>
  readonly handle?: (event: NoteUpdatedEvent, context: Context) => unknown
  readonly handlerTimeoutMs?: number
}

function setUp({ prepare = () => 'prepared', handle = writePrepared, handlerTimeoutMs }: Traits = {}) {
  const clock = new ManualClock()
  const store = memoryTransactions()
  const logger = recordingLogger()
  const outcomes: ProcessOutcome[] = []
  const receiver = createReceiver({
    secret: TEST_SECRET,
    store,
    clock,
    logger,
    prepare,
    on: { 'note.updated': (event, context) => handle(event, context) as undefined },
    hooks: { onOutcome: (outcome) => outcomes.push(outcome) },
    handlerTimeoutMs,
  })
  async function deliver(event: WebhookEvent): Promise<number> {
    const attempt = await signAttempt(TEST_SECRET, event, { signedAt: clock.now() })
    const { status } = await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', ...attempt }))
    return status
  }
  return { clock, store, logger, outcomes, receiver, deliver }
}

function writePrepared({ event_id }: NoteUpdatedEvent, { transaction, prepared }: Context): void {
  transaction.write(`${event_id} ${prepared}`)
}

const event = anEvent({ kind: 'note.updated', eventId: 'one', revision: 7 })

describe('a receiver with transactions', () => {
  it('looks, prepares, and calls the handler in the transaction', async () => {
    const steps: string[] = []
    const { receiver, store } = setUp({
      prepare: async () => {
        steps.push(...store.calls, 'prepare')
        return 'a note'
      },
    })
    expect(await receiver.process(event)).toEqual({ status: 'applied', event })
    expect([...steps, ...store.calls.slice(1)]).toEqual(['look one', 'prepare', 'transact one'])
    expect(store.rows).toEqual(['one a note'])
  })

  it('does not prepare duplicates, stale events, and events without a handler', async () => {
    let prepared = 0
    const { receiver } = setUp({ prepare: () => `${++prepared}` })
    await receiver.process(event)
    expect((await receiver.process(event)).status).toBe('duplicate')
    expect((await receiver.process({ ...event, event_id: 'two' })).status).toBe('stale')
    expect((await receiver.process(anEvent({ kind: 'note.ended', revision: 9 }))).status).toBe('unhandled')
    expect((await receiver.process(anUnknownEvent())).status).toBe('unhandled')
    expect(prepared).toBe(1)
  })

  it('fails an event whose prepare throws, without a transaction', async () => {
    const { receiver, store } = setUp({ prepare: () => Promise.reject(new Error('no such host')) })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: new Error('no such host') })
    expect(store.calls).toEqual(['look one'])
  })

  it('gives prepare and the handler what was applied before, and records the revision that the handler sets', async () => {
    const applied: unknown[] = []
    const { receiver } = setUp({
      prepare: (_event, context) => {
        applied.push(context.applied?.revision)
        return ''
      },
      handle: (_event, context) => {
        applied.push(context.applied?.revision)
        context.setAppliedRevision(9)
      },
    })
    await receiver.process(event)
    const later = anEvent({ kind: 'note.updated', revision: 9 })
    expect(await receiver.process(later)).toMatchObject({ status: 'stale', appliedRevision: 9 })
    await receiver.process(anEvent({ kind: 'note.updated', revision: 10 }))
    expect(applied).toEqual([undefined, undefined, 9, 9])
  })

  it('looks and prepares again if the note has changed meanwhile, or the database asks to try again', async () => {
    let prepared = 0
    const { receiver, store, clock } = setUp({ prepare: () => `for the ${++prepared}. time` })
    store.nextResults.push({ status: 'changed' }, { status: 'conflict', error: new Error('deadlock') })
    const outcome = receiver.process(event)
    await clock.advance(1_000)
    expect((await outcome).status).toBe('applied')
    expect(store.rows).toEqual(['one for the 3. time'])
  })

  it('answers 503 if the database still asks to try again after 2 s', async () => {
    const { deliver, store, clock, outcomes, logger } = setUp()
    const error = Object.assign(new Error('could not serialize access'), { code: '40001' })
    store.nextResults.push(...Array.from({ length: 100 }, () => ({ status: 'conflict' as const, error })))
    const status = deliver(event)
    await clock.advance(2_000)
    expect(await status).toBe(503)
    expect(outcomes).toMatchObject([{ status: 'busy', error }])
    expect(logger.lines.at(-1)).toMatch(/"code":"40001"/)
  })

  it.each([
    ['of the handler 500', { handle: () => Promise.reject(new Error('a bug')) }, undefined, 500],
    ['of the store 503', {}, new Error('connection refused'), 503],
  ] as const)('answers to an error %s', async (_name, traits, error, status) => {
    const { deliver, store } = setUp(traits)
    if (error !== undefined) store.nextResults.push(error)
    expect(await deliver(event)).toBe(status)
    expect(store.rows).toEqual([])
  })

  it('processes one event of a note at a time, and other notes meanwhile', async () => {
    const first = Promise.withResolvers<void>()
    const { receiver, store } = setUp({
      prepare: async ({ event_id }) => {
        if (event_id === 'one') await first.promise
        return ''
      },
    })
    const outcomes = [event, { ...event, event_id: 'two' }].map((each) => receiver.process(each))
    const other = anEvent({ kind: 'note.updated', eventId: 'other', noteId: 'note_2' })
    expect((await receiver.process(other)).status).toBe('applied')
    expect(store.calls).toEqual(['look one', 'look other', 'transact other'])
    first.resolve()
    expect((await Promise.all(outcomes)).map(({ status }) => status)).toEqual(['applied', 'stale'])
  })

  it('answers 503 to an event that waits 2 s for its note', async () => {
    const end = Promise.withResolvers<string>()
    const { clock, deliver, receiver } = setUp({ prepare: () => end.promise })
    const slow = receiver.process(event)
    await clock.advance(0)
    const waiting = deliver({ ...event, event_id: 'two' })
    await clock.advance(2_000)
    expect(await waiting).toBe(503)
    end.resolve('')
    expect((await slow).status).toBe('applied')
  })
})

describe('the time limit of a receiver with transactions', () => {
  it.each(['prepare', 'handle'] as const)('ends %s after 60 s: nothing is committed', async (which) => {
    const end = Promise.withResolvers<string>()
    const signals: AbortSignal[] = []
    const { clock, logger, receiver, store } = setUp({
      [which]: (_event: unknown, context: EventContext) => {
        signals.push(context.signal)
        return end.promise
      },
    })
    const outcome = receiver.process(event)
    await clock.advance(60_000)
    expect(await outcome).toEqual({ status: 'handler-timeout', event })
    expect(signals[0]?.reason).toMatchObject({ message: 'the handler took longer than handlerTimeoutMs (60000 ms)' })
    end.resolve('too late')
    await clock.advance(0)
    expect(logger.lines.at(-1)).toMatch(/^warn a handler ended after/)
    expect(store.rows).toEqual([])
  })

  it('counts prepare and the transaction together', async () => {
    const { clock, receiver, store } = setUp({
      prepare: async () => {
        await clock.sleep(600)
        return ''
      },
      handle: async (_event, { transaction }) => {
        transaction.write('written')
        await clock.sleep(600)
      },
      handlerTimeoutMs: 1_000,
    })
    const outcome = receiver.process(event)
    await clock.advance(1_500)
    expect((await outcome).status).toBe('handler-timeout')
    expect(store.rows).toEqual([])
  })

  it('leaves no timer behind', async () => {
    const { clock, receiver } = setUp()
    await receiver.process(event)
    expect(clock.sleeping).toBe(0)
  })
})

describe('close of a receiver with transactions', () => {
  it('waits for handlers that end, and calls no others', async () => {
    const end = Promise.withResolvers<void>()
    const { clock, receiver, store } = setUp({ handle: () => end.promise })
    const outcome = receiver.process(event)
    await clock.advance(0)
    const closed = receiver.close()
    expect((await receiver.process({ ...event, event_id: 'two' })).status).toBe('closing')
    end.resolve()
    expect((await outcome).status).toBe('applied')
    expect(await closed).toBe(0)
    expect(store.calls).toEqual(['look one', 'transact one'])
  })

  it('rolls back the transactions of handlers that do not end, and counts them', async () => {
    const { clock, receiver, store } = setUp({ handle: () => new Promise(() => undefined) })
    const outcome = receiver.process(event)
    await clock.advance(0)
    const closed = receiver.close({ graceMs: 3_000 })
    await clock.advance(3_000)
    expect(await closed).toBe(1)
    expect(await outcome).toEqual({ status: 'closing', event })
    expect(store.rows).toEqual([])
  })

  it('waits for handlers whose events were given up, and counts those that do not end', async () => {
    const ends = new Map(['one', 'two'].map((id) => [id, Promise.withResolvers<void>()]))
    const { clock, receiver } = setUp({ handle: ({ event_id }) => ends.get(event_id)?.promise })
    const outcomes = ['one', 'two'].map((event_id) =>
      receiver.process(anEvent({ kind: 'note.updated', eventId: event_id, noteId: `note_${event_id}` })),
    )
    await clock.advance(60_000)
    expect((await Promise.all(outcomes)).map(({ status }) => status)).toEqual(['handler-timeout', 'handler-timeout'])
    const closed = receiver.close({ graceMs: 3_000 })
    ends.get('one')?.resolve()
    await clock.advance(3_000)
    expect(await closed).toBe(1)
  })

  it('reports a handler that stops because of its signal as closing', async () => {
    const { clock, receiver } = setUp({
      handle: (_event, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    const outcome = receiver.process(event)
    await clock.advance(0)
    expect(await receiver.close()).toBe(0)
    expect((await outcome).status).toBe('closing')
  })
})

describe('the option prepare of a receiver with leases', () => {
  it('runs after the claim, and gives its result to the handler', async () => {
    const steps: unknown[] = []
    const receiver = createReceiver({
      secret: TEST_SECRET,
      logger: recordingLogger(),
      prepare: async ({ event_id }, { applied }) => {
        steps.push(['prepare', applied?.revision])
        return `for ${event_id}`
      },
      on: { 'note.updated': (_event, { prepared }) => steps.push(prepared) },
    })
    expect((await receiver.process(event)).status).toBe('applied')
    expect((await receiver.process(event)).status).toBe('duplicate')
    await receiver.process(anEvent({ kind: 'note.updated', eventId: 'two', revision: 8 }))
    expect(steps).toEqual([['prepare', undefined], 'for one', ['prepare', 7], 'for two'])
  })

  it('fails the event if it throws', async () => {
    const receiver = createReceiver({
      secret: TEST_SECRET,
      logger: recordingLogger(),
      prepare: () => Promise.reject(new Error('no such host')),
      on: { 'note.updated': () => undefined },
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'failed', error: new Error('no such host') })
  })
})
