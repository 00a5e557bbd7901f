import { randomUUID } from 'node:crypto'

/** What a check wants to say of an event; the rest is made up. */
export interface EventTraits {
  /** @default a new one */
  readonly eventId?: string | undefined
  /** @default a note of this event alone */
  readonly noteId?: string | undefined
  /** @default 1 */
  readonly revision?: number | undefined
  /** Replaces all of `data`. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
  /** Joins the made-up fields of `data`. */
  readonly moreData?: Readonly<Record<string, unknown>> | undefined
  /** Joins the fields of the envelope. */
  readonly more?: Readonly<Record<string, unknown>> | undefined
}

/** An event as it goes into a body. */
export interface MadeUpEvent {
  readonly event_id: string
  readonly event_type: string
  readonly occurred_at: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Every identifier that the doctor makes up starts with this, so that no note of anybody is meant. */
const MADE_UP_PREFIX = 'doctor_'

/** Makes an event of the contract's shape (§6) about a note that does not exist. */
export function madeUpEvent(kind: string, traits: EventTraits = {}): MadeUpEvent {
  return {
    event_id: traits.eventId ?? madeUpId('event'),
    event_type: kind,
    occurred_at: new Date().toISOString(),
    data: traits.data ?? { ...dataOf(kind, traits), ...traits.moreData },
    ...traits.more,
  }
}

/** An identifier that nothing else has. */
export function madeUpId(of: 'event' | 'note' | 'session' | 'endpoint' | 'attempt'): string {
  return `${MADE_UP_PREFIX}${of}_${randomUUID().replaceAll('-', '').slice(0, 20)}`
}

function dataOf(kind: string, { noteId, revision }: EventTraits): Readonly<Record<string, unknown>> {
  if (kind.startsWith('endpoint.')) return { endpoint_id: madeUpId('endpoint') }
  return {
    note_id: noteId ?? madeUpId('note'),
    revision: revision ?? 1,
    transcript_status: 'ready',
    summary_status: 'pending',
    ...(kind === 'note.ended' ? { recording_session_id: madeUpId('session') } : {}),
    ...(kind === 'note.deleted' ? { reason: 'deleted' } : {}),
  }
}
