import { describe, expectTypeOf, it } from 'vitest'
import {
  type EndpointEvent,
  type EndpointTestEvent,
  type EndpointVerificationEvent,
  type EventKind,
  type EventOf,
  isEndpointEvent,
  isKnownEvent,
  isNoteEvent,
  type KnownEvent,
  type NoteDeletedEvent,
  type NoteEndedEvent,
  type NoteEvent,
  type NoteSummaryGeneratedEvent,
  type NoteUpdatedEvent,
  type UnknownEvent,
  type WebhookEvent,
} from './index.ts'

declare const event: WebhookEvent

describe('a known event narrows by its event_type', () => {
  it('in a switch that names every kind', () => {
    if (!isKnownEvent(event)) return
    switch (event.event_type) {
      case 'note.ended':
        expectTypeOf(event).toEqualTypeOf<NoteEndedEvent>()
        expectTypeOf(event.data.recording_session_id).toEqualTypeOf<string | null | undefined>()
        expectTypeOf(event.occurred_at).toEqualTypeOf<string | undefined>()
        break
      case 'note.summary.generated':
        expectTypeOf(event).toEqualTypeOf<NoteSummaryGeneratedEvent>()
        break
      case 'note.updated':
        expectTypeOf(event).toEqualTypeOf<NoteUpdatedEvent>()
        expectTypeOf(event.data.revision).toEqualTypeOf<number>()
        break
      case 'note.deleted':
        expectTypeOf(event).toEqualTypeOf<NoteDeletedEvent>()
        expectTypeOf(event.data).toHaveProperty('reason')
        expectTypeOf(event.data.revision).toEqualTypeOf<number | undefined>()
        break
      case 'endpoint.verification':
        expectTypeOf(event).toEqualTypeOf<EndpointVerificationEvent>()
        break
      case 'endpoint.test':
        expectTypeOf(event).toEqualTypeOf<EndpointTestEvent>()
        break
      default:
        expectTypeOf(event).toBeNever()
    }
  })

  it('in a comparison', () => {
    if (isKnownEvent(event) && event.event_type === 'note.updated') {
      expectTypeOf(event).toEqualTypeOf<NoteUpdatedEvent>()
    }
  })
})

describe('an event of any kind narrows by its event_type', () => {
  it('in a switch, whose default has the other kinds and unknown kinds', () => {
    switch (event.event_type) {
      case 'note.deleted':
        expectTypeOf(event).toEqualTypeOf<NoteDeletedEvent>()
        break
      case 'note.ended':
      case 'note.summary.generated':
      case 'note.updated':
        expectTypeOf(event.data.note_id).toEqualTypeOf<string>()
        break
      default:
        expectTypeOf(event).toEqualTypeOf<EndpointEvent | UnknownEvent>()
        expectTypeOf(event.event_type).toExtend<string>()
    }
  })

  it('in a comparison', () => {
    if (event.event_type === 'note.ended') expectTypeOf(event).toEqualTypeOf<NoteEndedEvent>()
  })
})

describe('isNoteEvent, isEndpointEvent and isKnownEvent narrow an event', () => {
  it('to an event about a note, an event about an endpoint, or an unknown event', () => {
    if (isNoteEvent(event)) expectTypeOf(event).toEqualTypeOf<NoteEvent>()
    else if (isEndpointEvent(event)) expectTypeOf(event).toEqualTypeOf<EndpointEvent>()
    else expectTypeOf(event).toEqualTypeOf<UnknownEvent>()
  })

  it('to an unknown event if it is not a known event', () => {
    if (!isKnownEvent(event)) {
      expectTypeOf(event).toEqualTypeOf<UnknownEvent>()
      expectTypeOf(event.event_type).toExtend<string>()
      expectTypeOf(event.data['anything']).toBeUnknown()
    }
  })
})

describe('EventOf', () => {
  it('is the event of a kind', () => {
    expectTypeOf<EventOf<'note.ended'>>().toEqualTypeOf<NoteEndedEvent>()
    expectTypeOf<EventOf<'endpoint.test'>>().toEqualTypeOf<EndpointTestEvent>()
  })

  it('accepts every kind of the contract and no other kind', () => {
    expectTypeOf<EventOf<EventKind>>().toEqualTypeOf<KnownEvent>()
    // @ts-expect-error `note.merged` is no kind of the contract
    expectTypeOf<EventOf<'note.merged'>>().toBeNever()
  })
})

it('a status takes values that the contract does not list', () => {
  expectTypeOf<'ready'>().toExtend<NoteEvent['data']['transcript_status']>()
  expectTypeOf<'archived'>().toExtend<NoteEvent['data']['transcript_status']>()
  expectTypeOf<number>().not.toExtend<NoteEvent['data']['transcript_status']>()
})
