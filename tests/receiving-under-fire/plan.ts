import type { NoteEvent, NoteEventKind } from '@notewire/protocol'
import { anEvent } from '@notewire/webhooks/testing'
import type { Random } from '../simulation/random.ts'
import { INTEGRATIONS, type Integration } from './integrations.ts'
import type { SlowNote } from './slow-notes.ts'

/** An event for the endpoint of one integration. */
export interface AddressedEvent {
  readonly integration: Integration
  readonly event: NoteEvent
}

/** A kind without a handler. Its events are acknowledged, and must not supersede handled events. */
export const UNHANDLED = 'note.summary.generated' satisfies NoteEventKind

/** If the integrations were confused, the events of one would supersede all events of the other. */
const FIRST_REVISION: Readonly<Record<Integration, number>> = { personal: 1_000, channel: 1 }

const EVENTS_PER_NOTE = 14

/**
 * Everything that the service sends, in order: each event at least once, many events several times, the events of a note
 * roughly in order.
 *
 * @throws RangeError if no event is sent several times
 */
export function drawDeliveries(random: Random, notes: number, deliveries: number): readonly AddressedEvent[] {
  const events = INTEGRATIONS.flatMap((integration) =>
    Array.from({ length: notes }, (_, note) => drawHistory(random, integration, `note_${note}`)).flat(),
  )
  if (deliveries <= events.length)
    throw new RangeError(`${deliveries} deliveries repeat none of ${events.length} events`)
  const first = events.map(({ dueAt, ...addressed }) => ({ addressed, at: dueAt + random.fraction() * 0.15 }))
  const again = Array.from({ length: deliveries - events.length }, () => {
    const { dueAt, ...addressed } = random.pick(events as [DatedEvent, ...DatedEvent[]])
    return { addressed, at: dueAt + random.fraction() * 0.4 }
  })
  return [...first, ...again].toSorted((a, b) => a.at - b.at).map(({ addressed }) => addressed)
}

/** The only event about a slow note. */
export function eventOfSlowNote(noteId: SlowNote, integration: Integration): AddressedEvent {
  return { integration, event: anEvent({ kind: 'note.updated', eventId: `evt_of_${noteId}`, noteId }) }
}

/** Events about one note in random order, each with its own revision. */
export function drawCrowd(random: Random, integration: Integration, size: number): readonly AddressedEvent[] {
  return Array.from({ length: size }, (_, index) => ({
    addressed: {
      integration,
      event: anEvent({
        kind: random.pick(['note.updated', 'note.ended']),
        eventId: `evt_of_crowd_${index}`,
        noteId: 'note_crowded' satisfies SlowNote,
        revision: index,
      }),
    },
    at: random.fraction(),
  }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ addressed }) => addressed)
}

interface DatedEvent extends AddressedEvent {
  /** From 0 to 1, the beginning and the end of the test. */
  readonly dueAt: number
}

const KINDS = ['note.updated', 'note.updated', 'note.ended', UNHANDLED] as const

function drawHistory(random: Random, integration: Integration, noteId: string): readonly DatedEvent[] {
  let revision = FIRST_REVISION[integration]
  const endsDeleted = random.chance(0.3)
  return Array.from({ length: EVENTS_PER_NOTE }, (_, index) => {
    const isDeletion = endsDeleted && index === EVENTS_PER_NOTE - 1
    // Several events may have the same revision. Losing access to a note need not raise it.
    revision += isDeletion ? random.pick([0, 1]) : random.pick([0, 1, 1, 1, 2])
    const kind = isDeletion ? 'note.deleted' : random.pick<NoteEventKind>([...KINDS])
    const eventId = `evt_${noteId.slice('note_'.length)}_${index}`
    return { integration, event: anEvent({ kind, eventId, noteId, revision }), dueAt: index / EVENTS_PER_NOTE }
  })
}
