import { ENDPOINT_EVENT_KINDS, type EventKind, NOTE_EVENT_KINDS, type WebhookEvent } from '@notewire/protocol'
import type { GateMode } from '@notewire/webhooks'
import { anEvent, anUnknownEvent } from '@notewire/webhooks/testing'
import type { Random } from '../simulation/random.ts'

export const INTEGRATIONS = ['personal', 'channel'] as const

/** An event as it goes to the endpoint of one integration. */
export interface AddressedEvent {
  readonly integration: string
  readonly event: WebhookEvent
}

/** How often, from 0 to 1, something goes wrong where it can. */
export interface FaultRates {
  /** The process dies: at a call of the store, or in a handler. */
  readonly crash: number
  /** The process stands still, and time goes on. */
  readonly freeze: number
  /** A call of the store fails, before or after its effect, or takes effect long after it has failed. */
  readonly storeError: number
  /** A call of the store takes seconds. */
  readonly slowStore: number
  /** A handler takes seconds, up to more than a deadline and a lease. */
  readonly slowHandler: number
  /** A handler throws, before or after its effect. */
  readonly failingHandler: number
  /** The answer does not reach the service. */
  readonly lostAnswer: number
}

/** What is decided before a history begins. */
export interface Circumstances {
  readonly gate: GateMode
  /** Whether a handler marks the event in the transaction of its effect, or the processor marks it afterwards. */
  readonly effects: 'with the mark' | 'before the mark'
  /** Whether the receivers answer the service, or are asked by workers of a queue, which nobody waits for. */
  readonly asked: 'by the service' | 'by a queue'
  readonly skewsMs: readonly number[]
  readonly handled: ReadonlySet<EventKind>
  readonly handlesUnknown: boolean
  readonly events: readonly AddressedEvent[]
  /** How far the first attempts are apart, at most. */
  readonly spreadMs: number
  readonly rates: FaultRates
  /** After which nothing goes wrong any more. */
  readonly faultsLastMs: number
}

/** Draws them, each history some and no history all: one fault that never stops hides what others do. */
export function drawCircumstances(random: Random): Circumstances {
  const rate = () => (random.chance(0.5) ? 0 : random.pick([0.02, 0.06, 0.15, 0.4]))
  return {
    gate: random.pick(['deletions-at-equal', 'deletions-at-equal', 'per-kind', 'strict', 'off']),
    effects: random.pick(['with the mark', 'before the mark']),
    asked: random.pick(['by the service', 'by the service', 'by a queue']),
    skewsMs: Array.from({ length: random.integer(2, 4) }, () => random.pick([0, 0, random.integer(-600_000, 600_000)])),
    handled: new Set(KINDS.filter((kind) => !UNHANDLED_AT_TIMES.has(kind) || random.chance(0.6))),
    handlesUnknown: random.chance(0.7),
    events: drawEvents(random),
    spreadMs: random.pick([0, 10, 10, 200, 5_000, 60_000]),
    rates: {
      crash: rate(),
      freeze: rate(),
      storeError: rate(),
      slowStore: rate(),
      slowHandler: rate() * 2,
      failingHandler: rate(),
      lostAnswer: rate(),
    },
    faultsLastMs: random.pick([20_000, 120_000, 600_000, 2_160_000]),
  }
}

// Updates are the most frequent.
const NOTE_KINDS = ['note.updated', ...NOTE_EVENT_KINDS] as const
const KINDS: readonly EventKind[] = [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS]
/** Of events, in no order, since clocks are off. One of them cannot be read. */
const TIMES = [1, 2, 3, 4].map((minute) => `2026-01-01T09:0${minute}:00.000Z`).concat('unknown') as [
  string,
  ...string[],
]
const UNHANDLED_AT_TIMES: ReadonlySet<EventKind> = new Set([
  'note.summary.generated',
  'note.ended',
  ...ENDPOINT_EVENT_KINDS,
])

function drawEvents(random: Random): readonly AddressedEvent[] {
  const [personal, channel] = INTEGRATIONS
  const events = [...drawEventsOf(personal, random)]
  // The same event may concern two integrations. Its id, and its note's, are then the same.
  if (random.chance(0.4)) events.push(...events.map(({ event }) => ({ integration: channel, event })))
  else if (random.chance(0.5)) events.push(...drawEventsOf(channel, random))
  return events
}

function* drawEventsOf(integration: string, random: Random): Iterable<AddressedEvent> {
  const notes = random.pick([1, 1, 1, 2])
  for (let note = 1; note <= notes; note += 1) {
    let revision = random.integer(1, 3)
    for (let count = random.pick([1, 2, 2, 3, 3, 4, 6]); count > 0; count -= 1) {
      const traits = { noteId: `note_${note}`, eventId: `evt_${note}${count}_${integration[0]}` }
      if (random.chance(0.08)) yield { integration, event: anUnknownEvent(traits) }
      else {
        const recordingSessionId = random.pick(['a', 'b'])
        const kind = random.pick(NOTE_KINDS)
        const occurredAt = random.pick(TIMES)
        yield { integration, event: anEvent({ ...traits, kind, revision, recordingSessionId, occurredAt }) }
      }
      // A summary may become ready, and a note leave, without a new revision (open point 20).
      revision += random.pick([0, 1, 1, 2])
    }
  }
  if (random.chance(0.15)) {
    const kind = random.pick(ENDPOINT_EVENT_KINDS)
    yield { integration, event: anEvent({ kind, eventId: `evt_endpoint_${integration[0]}` }) }
  }
}

/** Says which event it is. */
export function inWords({ integration, event }: AddressedEvent): string {
  const { note_id: note, revision } = event.data as { note_id?: string; revision?: number }
  const place = note === undefined ? '' : ` of ${integration} ${note}`
  const version = revision === undefined ? '' : ` at revision ${revision}, ${event.occurred_at}`
  return `${event.event_id} (${event.event_type}${place}${version})`
}
