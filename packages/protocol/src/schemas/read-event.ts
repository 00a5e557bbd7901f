import { type EventReading, isEndpointEventKind, isNoteEventKind, type WebhookEvent } from '@notewire/protocol'
import { knownEvents, unknownEvent } from './event.ts'
import { driftAt, problemsOf, readShape } from './read-shape.ts'

/**
 * Reads the body of a delivery (contract §6). Unknown kinds are accepted, and unknown fields are kept. An optional field
 * of the wrong type is left out (open point 31), and so is the `revision` of `note.deleted` (open point 38).
 *
 * @throws ShapeError when `event_id`, `event_type` or, for `note.*`, `note_id` or (except for `note.deleted`) `revision` is missing, of
 * another type, or an identifier that `isIdentifier` refuses
 */
export function readEvent(body: unknown): WebhookEvent {
  return readEventWithDrift(body).event
}

/**
 * Reads the body of a delivery as {@link readEvent} does, and reports where it differs from the contract.
 *
 * @throws ShapeError as {@link readEvent}
 */
export function readEventWithDrift(body: unknown): EventReading {
  const kind: unknown = Object(body).event_type
  const isKnown = typeof kind === 'string' && (isNoteEventKind(kind) || isEndpointEventKind(kind))
  const { contract, tolerant } = isKnown ? knownEvents[kind] : unknownEvent
  const exact = contract.safeParse(body)
  if (exact.success && exact.data.data) return { event: exact.data as WebhookEvent, drift: [] }
  const event = readShape<WebhookEvent>(tolerant, body, isKnown ? `the ${kind} event` : 'the webhook body')
  dropUndefined(event)
  dropUndefined(event.data)
  return { event, drift: exact.success ? [] : problemsOf(contract, body).map((problem) => driftAt(problem, body)) }
}

// The tolerant schema sets fields that do not match to `undefined`.
function dropUndefined(fields: object): void {
  for (const [name, value] of Object.entries(fields)) if (value === undefined) Reflect.deleteProperty(fields, name)
}
