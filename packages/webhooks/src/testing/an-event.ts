import {
  type EventKind,
  type EventOf,
  isEndpointEventKind,
  OptionError,
  refuseUnknownOptions,
  type SummaryStatus,
  type TranscriptStatus,
  type UnknownEvent,
  type UnknownEventKind,
} from '@notewire/protocol'

/** The fields of an event that matter to a test; `anEvent` fills in the rest. */
export interface EventTraits<Kind extends EventKind> {
  readonly kind: Kind
  /** @default a new one */
  readonly eventId?: string | undefined
  /** @default 'note_1' */
  readonly noteId?: string | undefined
  /** @default 1 */
  readonly revision?: number | undefined
  /** @default 'session_1' */
  readonly recordingSessionId?: string | undefined
  /** ISO 8601, UTC. @default '2026-01-01T09:00:00.000Z' */
  readonly occurredAt?: string | undefined
  /** @default 'ready' */
  readonly transcriptStatus?: TranscriptStatus | undefined
  /** @default 'pending' */
  readonly summaryStatus?: SummaryStatus | undefined
  /** @default 'deleted' */
  readonly reason?: 'deleted' | 'access_lost' | undefined
}

/**
 * Creates a complete event of a kind (contract §6), for a handler or for `signAttempt`.
 */
export function anEvent<Kind extends EventKind>(traits: EventTraits<Kind>): EventOf<Kind> {
  if (typeof traits?.kind !== 'string') {
    throw new OptionError('kind', "anEvent was given no kind. Pass one: anEvent({ kind: 'note.ended' }).")
  }
  refuseUnknownOptions('anEvent', traits, TRAITS, ALIASES)
  const { kind, eventId = newEventId(), noteId = 'note_1', revision = 1, occurredAt = OCCURRED_AT } = traits
  const { transcriptStatus = 'ready', summaryStatus = 'pending' } = traits
  const data = {
    note_id: noteId,
    revision,
    transcript_status: transcriptStatus,
    summary_status: summaryStatus,
    ...(kind === 'note.ended' && { recording_session_id: traits.recordingSessionId ?? 'session_1' }),
    ...(kind === 'note.deleted' && { reason: traits.reason ?? 'deleted' }),
  }
  const envelope = { event_id: eventId, event_type: kind, occurred_at: occurredAt }
  const isOfEndpoint = isEndpointEventKind(kind)
  return { ...envelope, data: isOfEndpoint ? { endpoint_id: 'endpoint_1' } : data } as unknown as EventOf<Kind>
}

const TRAITS: readonly string[] = Object.keys({
  kind: true,
  eventId: true,
  noteId: true,
  revision: true,
  recordingSessionId: true,
  occurredAt: true,
  transcriptStatus: true,
  summaryStatus: true,
  reason: true,
} satisfies Record<keyof EventTraits<EventKind>, true>)

/** The names in an event. */
const ALIASES: ReadonlyMap<string, string> = new Map([['event_type', 'kind']])

const OCCURRED_AT = '2026-01-01T09:00:00.000Z'
const newEventId = () => `evt_${crypto.randomUUID()}`

/** Creates an event of a kind that the contract does not define. */
export function anUnknownEvent(traits: { readonly eventId?: string; readonly noteId?: string } = {}): UnknownEvent {
  refuseUnknownOptions('anUnknownEvent', traits, { eventId: true, noteId: true })
  return {
    event_id: traits.eventId ?? newEventId(),
    event_type: 'note.pinned' as UnknownEventKind,
    occurred_at: OCCURRED_AT,
    data: traits.noteId === undefined ? {} : { note_id: traits.noteId },
  }
}
