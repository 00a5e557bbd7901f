export type { ApiErrorBody } from './api-error.ts'
export { keyIdOf } from './api-key.ts'
export { isBytes } from './bytes.ts'
export { type Clock, monotonicNow, systemClock } from './clock.ts'
export type { Summary, Transcript, TranscriptSegment } from './content.ts'
export {
  API_VERSION_PREFIX,
  ENDPOINT_EVENT_KINDS,
  type EndpointEventKind,
  type EventKind,
  MAX_DELIVERY_ATTEMPTS,
  NOTE_EVENT_KINDS,
  type NoteEventKind,
  type OpenEnum,
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
  type Drift,
  type EndpointEvent,
  type EndpointEventData,
  type EndpointTestEvent,
  type EndpointVerificationEvent,
  type EventEnvelope,
  type EventOf,
  type EventReading,
  isEndpointEvent,
  isEndpointEventKind,
  isKnownEvent,
  isNoteEvent,
  isNoteEventKind,
  type KnownEvent,
  type NoteDeletedEvent,
  type NoteDeletedEventData,
  type NoteEndedEvent,
  type NoteEvent,
  type NoteEventData,
  type NoteSummaryGeneratedEvent,
  type NoteUpdatedEvent,
  type UnknownEvent,
  type UnknownEventKind,
  type WebhookEvent,
} from './event.ts'
export { isIdentifier, isIntegrationId, MAX_IDENTIFIER_LENGTH } from './identifier.ts'
export { type NoResponse, refuseResponse } from './no-response.ts'
export {
  isTombstone,
  type Note,
  type NoteOwner,
  type NotePage,
  type NoteStatus,
  type RecordingSession,
  type SummaryStatus,
  type TranscriptStatus,
} from './note.ts'
export { NotewireError, ShapeError } from './notewire-error.ts'
export { OptionError, refuseOptionsBut, refuseUnknownOptions, refuseWithoutMethods } from './options.ts'
export type { EndpointStatus, WebhookEndpoint, WebhookEndpointWithSecret } from './webhook-endpoint.ts'
