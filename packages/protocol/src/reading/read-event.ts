import type { EventKind } from '../contract.ts'
import type { UnknownEvent, WebhookEvent } from '../event.ts'
import { isEndpointEventKind, isNoteEventKind } from '../event.ts'
import { type Check, identifier, isRecord, optional, record, revision, text } from './check.ts'
import { readShape } from './read-shape.ts'

const aboutNote = {
  note_id: identifier,
  revision,
  recording_session_id: optional(text),
  transcript_status: optional(text),
  summary_status: optional(text),
}

// The contract does not show these payloads: a body without `data` is as good as one with an empty one.
const aboutEndpoint = optional(record({ endpoint_id: optional(text) }))

const checks: Readonly<Record<EventKind, Check>> = {
  'note.ended': event(record({ ...aboutNote, recording_session_id: identifier })),
  'note.summary.generated': event(record(aboutNote)),
  'note.updated': event(record(aboutNote)),
  'note.deleted': event(record({ ...aboutNote, reason: optional(text) })),
  'endpoint.verification': event(aboutEndpoint),
  'endpoint.test': event(aboutEndpoint),
}

const unknownEvent = record({
  event_id: identifier,
  event_type: identifier,
  occurred_at: optional(text),
  data: optional(record({})),
})

/**
 * Reads the body of a delivery (contract §6). Unknown kinds and unknown fields pass.
 *
 * @throws ShapeError when a required field is missing or of another type
 */
export function readEvent(body: unknown): WebhookEvent {
  const kind = isRecord(body) ? body['event_type'] : undefined
  if (typeof kind === 'string' && (isNoteEventKind(kind) || isEndpointEventKind(kind))) {
    return withData(readShape<WebhookEvent>(checks[kind], body, `the ${kind} event`))
  }
  const event = withData(readShape<UnknownEvent>(unknownEvent, body, 'the webhook body'))
  return typeof event.occurred_at === 'string' ? event : { ...event, occurred_at: '' }
}

function event(data: Check): Check {
  return record({ event_id: identifier, occurred_at: text, data })
}

function withData<Event extends WebhookEvent>(event: Event): Event {
  return isRecord(event.data) ? event : { ...event, data: {} }
}
