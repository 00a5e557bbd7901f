import type { Clock } from '@notewire/protocol'
import { type HttpHandler, http } from 'msw'
import { describe, expectTypeOf, it } from 'vitest'
import {
  type Attempt,
  type AttemptOutcome,
  type ConnectedEndpoint,
  createNotesService,
  type NoteHandle,
  type NotesService,
  type RecordingHandle,
} from '../index.ts'

declare const service: NotesService

describe('the types of a service', () => {
  it('create one, with and without options', () => {
    expectTypeOf(createNotesService).returns.resolves.toEqualTypeOf<NotesService>()
    expectTypeOf(createNotesService).toBeCallableWith()
    expectTypeOf(createNotesService).toBeCallableWith({
      seed: 1,
      notes: 300,
      clock: 'virtual',
      disorder: { failing: 0.1 },
    })
    // @ts-expect-error an unknown clock
    void createNotesService({ clock: 'unknown' })
  })

  it('support `await using`', () => {
    expectTypeOf<NotesService>().toExtend<AsyncDisposable>()
  })

  it('accept its clock as a Clock', () => {
    expectTypeOf(service.clock).toExtend<Clock>()
    expectTypeOf(service.clock.advance).toBeCallableWith('26h40m')
    expectTypeOf(service.clock.advance).toBeCallableWith(1500)
    // @ts-expect-error no duration
    void service.clock.advance('a while')
  })

  it('connect any function from requests to responses', () => {
    expectTypeOf(service.connect).toBeCallableWith((_secret: string) => () => new Response())
    expectTypeOf(service.connect).toBeCallableWith(() => async (request: Request) => new Response(await request.text()))
    expectTypeOf(service.connect).returns.resolves.toEqualTypeOf<ConnectedEndpoint>()
    expectTypeOf<ConnectedEndpoint['signing_secret']>().toEqualTypeOf<string>()
    // @ts-expect-error an event that has no subscription
    void service.connect(() => () => new Response(), { events: ['endpoint.test'] })
  })

  it("return handlers of msw's type", () => {
    expectTypeOf(service.handlers(http)).toEqualTypeOf<HttpHandler[]>()
  })

  it('return handles of recordings and notes', () => {
    expectTypeOf(service.owner.record).returns.toEqualTypeOf<RecordingHandle>()
    expectTypeOf<RecordingHandle['end']>().returns.toEqualTypeOf<NoteHandle>()
    expectTypeOf<NoteHandle['moveTo']>().toBeCallableWith('personal')
    expectTypeOf<NoteHandle['moveTo']>().toBeCallableWith(service.owner.createChannel('Team'))
  })

  it('distinguish outcomes by their kind', () => {
    expectTypeOf<Attempt['outcome']>().toEqualTypeOf<AttemptOutcome>()
    expectTypeOf<Extract<AttemptOutcome, { kind: 'answered' }>['status']>().toEqualTypeOf<number>()
    expectTypeOf<AttemptOutcome['kind']>().toEqualTypeOf<
      'in_flight' | 'answered' | 'timed_out' | 'connection_failed' | 'dropped'
    >()
  })

  it('do not allow changes to the logs', () => {
    expectTypeOf(service.attempts).toEqualTypeOf<readonly Attempt[]>()
    // @ts-expect-error the log is read-only
    service.attempts.push()
  })
})
