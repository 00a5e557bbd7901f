import { describe, expect, it } from 'vitest'
import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS } from './contract.ts'
import { isEndpointEvent, isKnownEvent, isNoteEvent, type WebhookEvent } from './event.ts'
import { readEvent } from './schemas/read-event.ts'

const anEvent = (kind: string) =>
  readEvent({
    event_id: 'event_1',
    event_type: kind,
    occurred_at: '2026-05-01T10:00:00Z',
    data: { note_id: 'note_1', revision: 1, recording_session_id: 'session_1' },
  })

const guardsOf = (event: WebhookEvent) => ({
  note: isNoteEvent(event),
  endpoint: isEndpointEvent(event),
  known: isKnownEvent(event),
})

describe('an event', () => {
  it.each(NOTE_EVENT_KINDS)('of kind %s is about a note', (kind) => {
    expect(guardsOf(anEvent(kind))).toEqual({ note: true, endpoint: false, known: true })
  })

  it.each(ENDPOINT_EVENT_KINDS)('of kind %s is about an endpoint', (kind) => {
    expect(guardsOf(anEvent(kind))).toEqual({ note: false, endpoint: true, known: true })
  })

  it.each(['note.merged', 'endpoint.renamed', 'toString'])('of kind %s is unknown', (kind) => {
    expect(guardsOf(anEvent(kind))).toEqual({ note: false, endpoint: false, known: false })
  })
})
