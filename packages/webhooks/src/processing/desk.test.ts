import { type Clock, type EventOf, isNoteEvent, type NoteEvent, type WebhookEvent } from '@notewire/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { storeWith } from '../../fixtures/store-with.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import { Desk } from './desk.ts'
import type { EventHandlers } from './handlers.ts'
import { LeasedMode } from './leased.ts'
import type { ProcessOutcome } from './outcome.ts'

const CIRCUMSTANCES = { integration: 'default' }

/**
 * Several instances on one store process the events of a few notes, delivered in any order and more than once, while
 * fast-check decides which store call, which handler and which sleeper goes on next, and which instance is killed on
 * the way. The service delivers until it gets a 2xx, as it does for 26 hours.
 */
describe('any interleaving of duplicates, disorder and crashes', () => {
  const anEventOfTheWorld = fc.record({
    kind: fc.constantFrom('note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'),
    noteId: fc.constantFrom('note_1', 'note_2'),
    revision: fc.integer({ min: 1, max: 5 }),
    attempts: fc.integer({ min: 1, max: 3 }),
  })
  const aFate = fc.constantFrom(
    'fine',
    'fine',
    'fine',
    'throws',
    'throws-after-the-effect',
    'killed',
    'killed-after-the-effect',
  )
  const aHistory = fc.record({
    events: fc.array(anEventOfTheWorld, { minLength: 1, maxLength: 8 }),
    fates: fc.array(aFate, { maxLength: 12 }),
  })

  it('ends with every event applied or superseded, none lost, revisions never going down (§6)', async () => {
    await fc.assert(
      fc.asyncProperty(aHistory, fc.scheduler(), async ({ events, fates }, scheduler) => {
        const world = new World(scheduler, fates)
        const deliveries = events.flatMap(({ attempts, ...traits }, index) => {
          const event: NoteEvent = anEvent({ ...traits, eventId: `evt_${index}` })
          return Array.from({ length: attempts }, () => world.deliverUntilAcknowledged(event))
        })
        await scheduler.waitFor(Promise.all(deliveries))
        world.expectEveryEventToCount(events.map((traits, index) => ({ ...traits, eventId: `evt_${index}` })))
        world.expectRevisionsNeverToGoDown()
        world.expectNoEventToCountTwice()
      }),
      { numRuns: 400 },
    )
  })
})

type Fate = 'fine' | 'throws' | 'throws-after-the-effect' | 'killed' | 'killed-after-the-effect'

class World {
  readonly #scheduler: fc.Scheduler
  readonly #fates: Fate[]
  readonly #clock: Clock
  readonly #store: ReceiverStore
  #now = 0
  /** Events whose handler ran to its effect, in order. */
  readonly #effects: NoteEvent[] = []
  /** Events that an instance reported as applied, that is, committed, in the order of the commits. */
  readonly #commits: NoteEvent[] = []
  readonly #outcomes: ProcessOutcome[] = []

  constructor(scheduler: fc.Scheduler, fates: readonly Fate[]) {
    this.#scheduler = scheduler
    this.#fates = [...fates]
    this.#clock = {
      now: () => this.#now,
      sleep: async (ms, signal) => {
        const due = this.#now + ms
        await this.#step('sleep')
        if (signal?.aborted) throw signal.reason
        this.#now = Math.max(this.#now, due)
      },
    }
    this.#store = memoryStore({ clock: this.#clock })
  }

  async deliverUntilAcknowledged(event: NoteEvent): Promise<void> {
    for (;;) {
      const outcome = await this.#attempt(event)
      if (outcome !== 'instance-died') this.#outcomes.push(outcome)
      if (outcome !== 'instance-died' && ['applied', 'duplicate', 'stale'].includes(outcome.status)) return
      await this.#clock.sleep(30_000)
    }
  }

  expectEveryEventToCount(events: readonly { eventId: string; noteId: string; revision: number }[]): void {
    for (const { eventId, noteId, revision } of events) {
      const applied = this.#effects.some(({ event_id }) => event_id === eventId)
      const superseded = this.#effects.some(({ data }) => data.note_id === noteId && Number(data.revision) >= revision)
      expect(applied || superseded).toBe(true)
    }
    for (const noteId of new Set(events.map((event) => event.noteId))) {
      const announced = events.filter((event) => event.noteId === noteId).map(({ revision }) => revision)
      const committed = this.#commits.filter(({ data }) => data.note_id === noteId)
      expect(committed.at(-1)?.data.revision).toBe(Math.max(...announced))
    }
  }

  expectRevisionsNeverToGoDown(): void {
    for (const noteId of ['note_1', 'note_2']) {
      const revisions = this.#commits.flatMap(({ data }) => (data.note_id === noteId ? (data.revision ?? []) : []))
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
    }
  }

  expectNoEventToCountTwice(): void {
    const ids = this.#commits.map(({ event_id }) => event_id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(this.#outcomes.filter(({ status }) => status === 'store-failed')).toEqual([])
  }

  /** One attempt, at an instance of its own: killing it takes nothing else down. */
  #attempt(event: NoteEvent): Promise<ProcessOutcome | 'instance-died'> {
    const { promise, resolve } = Promise.withResolvers<'instance-died'>()
    let alive = true
    const fate = this.#fates.shift() ?? 'fine'
    const die = () => {
      alive = false
      resolve('instance-died')
      return new Promise<never>(() => undefined)
    }
    const handler = async (handled: NoteEvent) => {
      await this.#step('handler begins')
      if (fate === 'throws') throw new Error('before the effect')
      if (fate === 'killed') await die()
      this.#effects.push(handled)
      await this.#step('handler ends')
      if (fate === 'throws-after-the-effect') throw new Error('after the effect')
      if (fate === 'killed-after-the-effect') await die()
    }
    const on: EventHandlers = {
      'note.ended': handler,
      'note.summary.generated': handler,
      'note.updated': handler,
      'note.deleted': handler,
    }
    const desk = deskOn(
      this.#remote(this.#store, () => alive),
      on,
      this.#clock,
    )
    return Promise.race([desk.process(event, CIRCUMSTANCES), promise])
  }

  /** A store behind a network: every call takes its time, and a dead instance gets no answer. */
  #remote(store: ReceiverStore, alive: () => boolean): ReceiverStore {
    const call = async <Result>(name: string, operation: () => Result | Promise<Result>): Promise<Result> => {
      await this.#step(`${name} arrives`)
      if (!alive()) return await new Promise<never>(() => undefined)
      const result = await operation()
      await this.#step(`${name} answers`)
      return result
    }
    return storeWith(store, {
      claim: (request) => call('claim', () => store.claim(request)),
      renew: (claim, leaseMs) => call('renew', () => store.renew(claim, leaseMs)),
      release: (claim) => call('release', () => store.release(claim)),
      commit: (claim) =>
        call('commit', async () => {
          const result = await store.commit(claim)
          if (result === 'committed') this.#commits.push(this.#effectOf(claim.request.eventId))
          return result
        }),
    })
  }

  #effectOf(eventId: string): NoteEvent {
    const effect = this.#effects.find(({ event_id }) => event_id === eventId)
    if (effect === undefined) throw new Error('committed without its effect')
    return effect
  }

  #step(label: string): Promise<string> {
    return this.#scheduler.schedule(Promise.resolve(label), label)
  }
}

function deskOn(store: ReceiverStore, on: EventHandlers, clock: Clock): Desk {
  const settings = {
    onUnknown: undefined,
    prepare: undefined,
    revisionGate: 'deletions-at-equal',
    dedupWindowMs: 1e12,
  } as const
  return new Desk(new LeasedMode({ on, store, clock, ...settings }), {
    clock,
    logger: console,
    handlerTimeoutMs: 900_000,
    reportOutcome: () => undefined,
    reportLateEnd: () => undefined,
  })
}

describe('a plain order of things', () => {
  const sleepless: Clock = { now: Date.now, sleep: (_ms, signal) => untilAborted(signal) }
  const aDesk = (store: ReceiverStore, on: EventHandlers) => deskOn(store, on, sleepless)

  it('hands two events of one note to their handlers one after the other', async () => {
    const running: string[] = []
    const peaks: number[] = []
    const handler = async (event: WebhookEvent) => {
      running.push(event.event_id)
      peaks.push(running.length)
      await new Promise((resolve) => setImmediate(resolve))
      running.splice(running.indexOf(event.event_id), 1)
    }
    const desk = aDesk(memoryStore(), { 'note.updated': handler })
    const events = [1, 2, 3].map((revision) => anEvent({ kind: 'note.updated', revision }))
    const outcomes = await Promise.all(events.map((event) => desk.process(event, CIRCUMSTANCES)))
    expect(outcomes.map(({ status }) => status)).toContain('applied')
    expect(Math.max(...peaks)).toBe(1)
  })

  it('hands fifty simultaneous events of one note on without a busy answer', async () => {
    const applied: number[] = []
    const handler = async ({ data }: EventOf<'note.updated'>) => {
      await new Promise((resolve) => setImmediate(resolve))
      applied.push(data.revision)
    }
    const desk = aDesk(memoryStore(), { 'note.updated': handler })
    const events = Array.from({ length: 50 }, (_, index) => anEvent({ kind: 'note.updated', revision: index + 1 }))
    const outcomes = await Promise.all(events.map((event) => desk.process(event, CIRCUMSTANCES)))
    expect(new Set(outcomes.map(({ status }) => status)).has('busy')).toBe(false)
    expect(applied.at(-1)).toBe(50)
    expect(applied).toEqual(applied.toSorted((a, b) => a - b))
  })

  it('asks the store about as often as there are events, however many wait for one note', async () => {
    const store = memoryStore()
    let claims = 0
    const counting = storeWith(store, {
      claim: (request) => {
        claims += 1
        return store.claim(request)
      },
    })
    const handler = () => new Promise<void>((resolve) => setImmediate(resolve))
    const desk = aDesk(counting, { 'note.updated': handler })
    const events = Array.from({ length: 50 }, (_, index) => anEvent({ kind: 'note.updated', revision: index + 1 }))
    await Promise.all(events.map((event) => desk.process(event, CIRCUMSTANCES)))
    expect(claims).toBeLessThanOrEqual(100)
  })

  it('does not raise the revision for an event without a handler', async () => {
    const applied: WebhookEvent[] = []
    const desk = aDesk(memoryStore(), { 'note.updated': (event) => applied.push(event) })
    const unhandled = anEvent({ kind: 'note.ended', revision: 9 })
    expect((await desk.process(unhandled, CIRCUMSTANCES)).status).toBe('unhandled')
    expect((await desk.process(unhandled, CIRCUMSTANCES)).status).toBe('duplicate')
    expect((await desk.process(anEvent({ kind: 'note.updated', revision: 9 }), CIRCUMSTANCES)).status).toBe('applied')
    expect(applied.filter(isNoteEvent)).toHaveLength(1)
  })

  it('says what failed when the store does', async () => {
    const down = storeWith(memoryStore(), { claim: () => Promise.reject(new Error('connection lost')) })
    const outcome = await aDesk(down, { 'note.updated': () => undefined }).process(
      anEvent({ kind: 'note.updated' }),
      CIRCUMSTANCES,
    )
    expect(outcome).toMatchObject({ status: 'store-failed', error: new Error('connection lost') })
  })
})

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}
