import {
  type EventKind,
  type EventOf,
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
 *
 * @example
 * ```ts
 * import { anEvent } from '@notewire/webhooks/testing'
 *
 * const event = anEvent({ kind: 'note.deleted', noteId: 'note_7', revision: 3, reason: 'access_lost' })
 * console.log(event.data.reason)
 * ```
 */
export function anEvent<Kind extends EventKind>(traits: EventTraits<Kind>): EventOf<Kind> {
  if (typeof traits?.kind !== 'string') {
    throw new OptionError('kind', "anEvent was given no kind. Pass one: anEvent({ kind: 'note.ended' }).")
  }
  const { kind, eventId = `evt_${crypto.randomUUID()}`, occurredAt = '2026-01-01T09:00:00.000Z' } = traits
  const envelope = { event_id: eventId, event_type: kind, occurred_at: occurredAt }
  return { ...envelope, data: payloadOf(traits) } as unknown as EventOf<Kind>
}

/** Creates an event of a kind that the contract does not define. */
export function anUnknownEvent(traits: { readonly eventId?: string; readonly noteId?: string } = {}): UnknownEvent {
  refuseUnknownOptions('anUnknownEvent', traits, ['eventId', 'noteId'])
  return {
    event_id: traits.eventId ?? `evt_${crypto.randomUUID()}`,
    event_type: 'note.pinned' as UnknownEventKind,
    occurred_at: '2026-01-01T09:00:00.000Z',
    data: traits.noteId === undefined ? {} : { note_id: traits.noteId },
  }
}

function payloadOf({
  kind,
  noteId = 'note_1',
  revision = 1,
  transcriptStatus = 'ready',
  summaryStatus = 'pending',
  recordingSessionId = 'session_1',
  reason = 'deleted',
}: EventTraits<EventKind>): object {
  if (kind === 'endpoint.verification' || kind === 'endpoint.test') return { endpoint_id: 'endpoint_1' }
  return {
    note_id: noteId,
    revision,
    transcript_status: transcriptStatus,
    summary_status: summaryStatus,
    ...(kind === 'note.ended' ? { recording_session_id: recordingSessionId } : {}),
    ...(kind === 'note.deleted' ? { reason } : {}),
  }
}
