export { isBlockedPort } from './blocked-port.ts'
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
export { type ErrorFacts, errorFactsOf, shortWord } from './error-facts.ts'
export { traceOf, traceWithMessage, unfailing } from './error-trace.ts'
export { NotewireError, ShapeError } from './errors.ts'
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
export { isIdentifier, isIntegrationId, keyIdOf, MAX_IDENTIFIER_LENGTH } from './identifier.ts'
export { explainFailure } from './known-failures.ts'
export type { Logger } from './logger.ts'
export { isLoopback } from './loopback.ts'
export { callKeyOf, markAsPart, type NoteHandlerParts, partsOf } from './note-handler-parts.ts'
export {
  isBytes,
  OptionError,
  refuseNoSignal,
  refuseOptionsBut,
  refuseSurplusOptions,
  refuseUnknownOptions,
  refuseWithoutMethods,
} from './options.ts'
export {
  type ApiErrorBody,
  type EndpointStatus,
  isTombstone,
  type Note,
  type NoteOwner,
  type NotePage,
  type NoteStatus,
  type RecordingSession,
  type Summary,
  type SummaryStatus,
  type Transcript,
  type TranscriptSegment,
  type TranscriptStatus,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from './resources.ts'
export { textOfFile } from './text-of-file.ts'
export { type Clock, monotonicNow, parseTime, systemClock } from './time.ts'
export { unreachedProxy } from './unreached-proxy.ts'
export { callHook, type NoResponse, refuseResponse } from './user-functions.ts'
