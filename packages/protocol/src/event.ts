import {
  ENDPOINT_EVENT_KINDS,
  type EndpointEventKind,
  type EventKind,
  NOTE_EVENT_KINDS,
  type NoteEventKind,
  type OpenEnum,
} from './contract.ts'
import type { SummaryStatus, TranscriptStatus } from './resources.ts'

/**
 * The fields of every event (contract §6). An event has `event_id`, `event_type` and, if it is about a note,
 * `note_id` and, except in `note.deleted`, `revision`; every other field may be absent (open points 31 and 38).
 */
export interface EventEnvelope<Kind, Data> {
  /** Unique for an event: the same in every attempt, retry and replay of it. */
  readonly event_id: string
  readonly event_type: Kind
  /** When the event occurred: ISO 8601, UTC. `undefined` if the service sent no string. */
  readonly occurred_at?: string | undefined
  readonly data: Data
}

/** The data of an event about a note: identifiers and statuses, never content (contract §6). */
export interface NoteEventData {
  readonly note_id: string
  /** The note's revision at the time of the event. */
  readonly revision: number
  /** Sent with `note.ended`. `undefined` if the service sent no identifier that stores can keep. */
  readonly recording_session_id?: string | null | undefined
  readonly transcript_status?: TranscriptStatus | null | undefined
  readonly summary_status?: SummaryStatus | null | undefined
}

/** A recording session has finished and its final transcript can be read: once for each session (contract §6). */
export type NoteEndedEvent = EventEnvelope<'note.ended', NoteEventData>

/** A summary has been generated and can be read (contract §6). */
export type NoteSummaryGeneratedEvent = EventEnvelope<'note.summary.generated', NoteEventData>

/** Something that the API shows has changed after the note ended (contract §6). */
export type NoteUpdatedEvent = EventEnvelope<'note.updated', NoteEventData>

/** Why a note is gone: it was deleted, or the key lost access. Treat both alike (contract §6). */
export type DeletionReason = OpenEnum<'deleted' | 'access_lost'>

/** The data of `note.deleted` (contract §6). */
export interface NoteDeletedEventData extends Omit<NoteEventData, 'revision'> {
  /**
   * The note's revision at the time of the event. `undefined` if the service sent none, or a value of another type: a removal needs
   * only `note_id` (open point 38).
   */
  readonly revision?: number | undefined
  readonly reason?: DeletionReason | null | undefined
}

/** The note was deleted, or the key lost access: remove the stored copy (contract §6). */
export type NoteDeletedEvent = EventEnvelope<'note.deleted', NoteDeletedEventData>

/** The data of an event about an endpoint. The contract does not show it, so it may be empty (open point 11). */
export interface EndpointEventData {
  readonly endpoint_id?: string | null | undefined
}

/** The service verifies the receiver: a 2xx answer activates the endpoint (contract §3). */
export type EndpointVerificationEvent = EventEnvelope<'endpoint.verification', EndpointEventData>

/** The owner pressed "Send test" (contract §6). */
export type EndpointTestEvent = EventEnvelope<'endpoint.test', EndpointEventData>

/** Any event about a note. */
export type NoteEvent = NoteEndedEvent | NoteSummaryGeneratedEvent | NoteUpdatedEvent | NoteDeletedEvent

/** Any event about an endpoint. */
export type EndpointEvent = EndpointVerificationEvent | EndpointTestEvent

/** Any event of a kind that the contract names. */
export type KnownEvent = NoteEvent | EndpointEvent

/** An event of a kind that this version does not know. Acknowledge it; never fail on it (open point 26). */
export type UnknownEvent = EventEnvelope<UnknownEventKind, Readonly<Record<string, unknown>>>

/**
 * The kind of an {@link UnknownEvent}: any string at run time. For the type checker no literal equals it, so that
 * `event_type` narrows a {@link WebhookEvent}; it must be a template to count as a discriminant.
 */
export type UnknownEventKind = `${string & { readonly isUnknownKind: true }}`

/**
 * The body of a delivery. Its `event_type` narrows it; an event of a kind that this version does not know ends in `default`.
 *
 * @example
 * ```ts
 * import type { WebhookEvent } from '@notewire/protocol'
 *
 * export function describeEvent(event: WebhookEvent): string {
 *   switch (event.event_type) {
 *     case 'note.ended':
 *       return `session ${event.data.recording_session_id} of ${event.data.note_id} ended`
 *     case 'note.deleted':
 *       return `${event.data.note_id} is gone: ${event.data.reason}`
 *     default:
 *       return event.event_type
 *   }
 * }
 * ```
 */
export type WebhookEvent = KnownEvent | UnknownEvent

/** An optional field of an event that does not match the contract (open point 31). */
export interface Drift {
  /** The path of the field: `occurred_at`, `data.recording_session_id`. */
  readonly path: string
  /** The type or form that the contract requires, in words. */
  readonly expected: string
  /** The type of the value that was received: `nothing`, `null`, `number`, … Never the value. */
  readonly found: string
}

/** An event, and the differences between its body and the contract. */
export interface EventReading {
  /** The event, without the fields of the wrong type. */
  readonly event: WebhookEvent
  readonly drift: readonly Drift[]
}

/** The event of one kind: `EventOf<'note.ended'>`. */
export type EventOf<Kind extends EventKind> = Extract<KnownEvent, { readonly event_type: Kind }>

/** Tells whether a kind is one of the four `note.*` kinds of the contract (§6). */
export function isNoteEventKind(kind: string): kind is NoteEventKind {
  return (NOTE_EVENT_KINDS as readonly string[]).includes(kind)
}

/** Tells whether a kind is one of the two `endpoint.*` kinds of the contract (§6). */
export function isEndpointEventKind(kind: string): kind is EndpointEventKind {
  return (ENDPOINT_EVENT_KINDS as readonly string[]).includes(kind)
}

/** Tells whether an event is about a note, and narrows it. */
export function isNoteEvent(event: WebhookEvent): event is NoteEvent {
  return isNoteEventKind(event?.event_type)
}

/** Tells whether an event is about an endpoint, and narrows it. */
export function isEndpointEvent(event: WebhookEvent): event is EndpointEvent {
  return isEndpointEventKind(event?.event_type)
}

/** Tells whether an event is of a kind that the contract names, and narrows it. */
export function isKnownEvent(event: WebhookEvent): event is KnownEvent {
  return isNoteEvent(event) || isEndpointEvent(event)
}
