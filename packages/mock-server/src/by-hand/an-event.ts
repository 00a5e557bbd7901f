import { type EventKind, type EventOf, isNoteEventKind, systemClock } from '@notewire/protocol'

/** What of an event's envelope a test may want to decide. */
export interface EnvelopeByHand {
  /** @default a new one */
  readonly event_id?: string | undefined
  /** @default the machine's time */
  readonly occurred_at?: string | undefined
}

/**
 * An event of a kind, complete and plausible, with the data that a test cares for (contract §6).
 *
 * @example
 * ```ts
 * import { anEvent } from '@notewire/mock-server'
 *
 * const lost = anEvent('note.deleted', { note_id: 'note_1', revision: 7, reason: 'access_lost' })
 * console.log(lost.event_id)
 * ```
 */
export function anEvent<Kind extends EventKind>(
  event_type: Kind,
  data: Partial<EventOf<Kind>['data']> = {},
  envelope: EnvelopeByHand = {},
): EventOf<Kind> {
  const { event_id = `evt_${crypto.randomUUID()}`, occurred_at = new Date(systemClock.now()).toISOString() } = envelope
  return { event_id, event_type, occurred_at, data: { ...plausibleData(event_type), ...data } } as EventOf<Kind>
}

function plausibleData(event_type: EventKind): object {
  if (!isNoteEventKind(event_type)) return { endpoint_id: 'whe_by_hand' }
  const data = { note_id: 'note_by_hand', revision: 2, transcript_status: 'ready', summary_status: 'pending' }
  if (event_type === 'note.ended') return { ...data, recording_session_id: 'rec_by_hand' }
  return event_type === 'note.deleted' ? { ...data, reason: 'deleted' } : data
}
