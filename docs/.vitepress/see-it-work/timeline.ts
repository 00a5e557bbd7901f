import type { Attempt } from '@notewire/mock-server'

/** The two receivers. */
export type Side = 'naive' | 'notewire'

/** An event about a note, or a forged one, and every attempt to deliver it. */
export interface TimelineRow {
  readonly event_id: string
  readonly event_type: string
  readonly note_id: string
  /** The title of the note when the event was sent. A later edit does not change it. */
  readonly title: string
  readonly isForged: boolean
  readonly attempts: readonly TimelineAttempt[]
}

/** An attempt to deliver an event to one receiver. */
interface TimelineAttempt {
  readonly side: Side
  /** The time since the first attempt of the event, in milliseconds. */
  readonly afterMs: number
  /** The status of the response; `null` if there was none. */
  readonly status: number | null
}

/** A request that an attacker sent, and the status of the response. */
export interface ForgedRequest {
  readonly side: Side
  readonly event_id: string
  readonly note_id: string
  readonly at: number
  readonly status: number
}

/** The deliveries of events about notes, the newest event last. */
export function timelineOf(
  attempts: readonly Attempt[],
  forged: readonly ForgedRequest[],
  sideOf: (endpointId: string) => Side,
  titleOf: (eventId: string, noteId: string) => string,
): readonly TimelineRow[] {
  const sent = [
    ...forged.map((request) => ({ ...request, event_type: 'note.deleted', isForged: true })),
    ...attempts
      .filter(({ event_type }) => event_type.startsWith('note.'))
      .map(({ event_id, event_type, endpoint_id, at, body, outcome }) => ({
        ...{ event_id, event_type, at, isForged: false },
        note_id: JSON.parse(body).data.note_id,
        side: sideOf(endpoint_id),
        status: outcome.kind === 'answered' ? outcome.status : null,
      })),
  ].sort((a, b) => a.at - b.at)
  return Object.values(Object.groupBy(sent, ({ event_id }) => event_id)).flatMap((ofEvent = []) => {
    const [first] = ofEvent
    if (first === undefined) return []
    const { event_id, event_type, note_id, isForged } = first
    const ofRow = ofEvent.map(({ side, at, status }) => ({ side, afterMs: at - first.at, status }))
    return [{ event_id, event_type, note_id, title: titleOf(event_id, note_id), isForged, attempts: ofRow }]
  })
}
