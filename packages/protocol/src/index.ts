export type { ApiErrorBody } from './api-error.ts'
export { keyIdOf } from './api-key.ts'
export { type Clock, monotonicNow, systemClock } from './clock.ts'
export {
  API_VERSION_PREFIX,
  ENDPOINT_EVENT_KINDS,
  type EndpointEventKind,
  type EventKind,
  MAX_DELIVERY_ATTEMPTS,
  NOTE_EVENT_KINDS,
  type NoteEventKind,
  RECEIVER_DEADLINE_MS,
  RETRY_DELAYS_MS,
  RETRY_SPAN_MS,
  SCOPES,
  type Scope,
  SIGNATURE_HEADERS,
  SIGNATURE_TOLERANCE_SECONDS,
  SIGNATURE_VERSION,
  SIGNING_SECRET_PREFIX,
} from './contract.ts'
export {
  type DeletionReason,
  type EndpointEvent,
  type EndpointEventData,
  type EndpointTestEvent,
  type EndpointVerificationEvent,
  type EventEnvelope,
  type EventOf,
  isEndpointEvent,
  isEndpointEventKind,
  isKnownEvent,
  isNoteEvent,
  isNoteEventKind,
  type KnownEvent,
  type NoteDeletedEvent,
  type NoteEndedEvent,
  type NoteEvent,
  type NoteEventData,
  type NoteSummaryGeneratedEvent,
  type NoteUpdatedEvent,
  type UnknownEvent,
  type UnknownEventKind,
  type WebhookEvent,
} from './event.ts'
export type { Drift, EventReading } from './event-reading.ts'
export { isIdentifier, isIntegrationId, MAX_IDENTIFIER_LENGTH } from './identifier.ts'
export {
  isTombstone,
  type Note,
  type NoteOwner,
  type NoteStatus,
  type RecordingSession,
  type SummaryStatus,
  type TranscriptStatus,
} from './note.ts'
export type { NotePage } from './note-page.ts'
export { NotewireError } from './notewire-error.ts'
export type { OpenEnum } from './open-enum.ts'
export { OptionError, refuseOptionsBut, refuseUnknownOptions } from './options.ts'
export { ShapeError } from './shape-error.ts'
export type { Summary } from './summary.ts'
export type { Transcript, TranscriptSegment } from './transcript.ts'
export type { EndpointStatus, WebhookEndpoint, WebhookEndpointWithSecret } from './webhook-endpoint.ts'
