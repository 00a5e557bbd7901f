import type { EventKind, EventOf, UnknownEvent } from '@notewire/protocol'

/** What a test wants to say of an event; the rest is made up. */
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
  /** @default 'deleted' */
  readonly reason?: 'deleted' | 'access_lost' | undefined
}

/**
 * Makes an event of the contract's shape (§6).
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
  const { kind, eventId = `evt_${crypto.randomUUID()}` } = traits
  const envelope = { event_id: eventId, event_type: kind, occurred_at: '2026-01-01T09:00:00.000Z' }
  return { ...envelope, data: payloadOf(traits) } as unknown as EventOf<Kind>
}

/** Makes an event of a kind that the contract does not name. */
export function anUnknownEvent(traits: { readonly eventId?: string; readonly noteId?: string } = {}): UnknownEvent {
  return {
    event_id: traits.eventId ?? `evt_${crypto.randomUUID()}`,
    event_type: 'note.pinned',
    occurred_at: '2026-01-01T09:00:00.000Z',
    data: traits.noteId === undefined ? {} : { note_id: traits.noteId },
  }
}

function payloadOf({ kind, noteId, revision, recordingSessionId, reason }: EventTraits<EventKind>): object {
  if (kind === 'endpoint.verification' || kind === 'endpoint.test') return { endpoint_id: 'endpoint_1' }
  return {
    note_id: noteId ?? 'note_1',
    revision: revision ?? 1,
    transcript_status: 'ready',
    summary_status: 'pending',
    ...(kind === 'note.ended' ? { recording_session_id: recordingSessionId ?? 'session_1' } : {}),
    ...(kind === 'note.deleted' ? { reason: reason ?? 'deleted' } : {}),
  }
}
