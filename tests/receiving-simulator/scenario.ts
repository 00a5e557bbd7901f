import { ENDPOINT_EVENT_KINDS, type EventKind, NOTE_EVENT_KINDS, type WebhookEvent } from '@notewire/protocol'
import type { GateMode } from '@notewire/webhooks/store'
import { anEvent, anUnknownEvent } from '@notewire/webhooks/testing'
import type { Random } from '../simulation/random.ts'

export const INTEGRATIONS = ['personal', 'channel'] as const

/** An event for the endpoint of one integration. */
export interface AddressedEvent {
  readonly integration: string
  readonly event: WebhookEvent
}

/** The probability of each fault, from 0 to 1, wherever it can happen. */
export interface FaultRates {
  /** The process dies: during a call of the store, or in a handler. */
  readonly crash: number
  /** The process freezes while time continues. */
  readonly freeze: number
  /** A call of the store fails, before or after its effect, or takes effect long after it has failed. */
  readonly storeError: number
  /** A call of the store takes seconds. */
  readonly slowStore: number
  /** A handler takes seconds, at most longer than the deadline of an attempt and a lease. */
  readonly slowHandler: number
  /** A handler throws, before or after its effect. */
  readonly failingHandler: number
  /** The answer of the receiver does not reach the service. */
  readonly lostAnswer: number
}

/** The parameters of a history, drawn before it begins. */
export interface Scenario {
  readonly gate: GateMode
  /** Whether the receiver commits the event in the transaction of its effect, or with a lease after the handler. */
  readonly effects: 'with the commit' | 'before the commit'
  /** Whether the service sends requests, or the workers of a queue call `process`. */
  readonly deliveredBy: 'service' | 'queue'
  readonly skewsMs: readonly number[]
  readonly handled: ReadonlySet<EventKind>
  readonly handlesUnknown: boolean
  readonly events: readonly AddressedEvent[]
  /** The time in which all first attempts are sent. */
  readonly spreadMs: number
  readonly rates: FaultRates
  /** The time after which no fault happens. */
  readonly faultsLastMs: number
}

/** Draws a scenario with some of the faults: one fault that happens all the time would hide the effects of the others. */
export function drawScenario(random: Random): Scenario {
  const rate = () => (random.chance(0.5) ? 0 : random.pick([0.02, 0.06, 0.15, 0.4]))
  return {
    gate: random.pick(['deletions-at-equal', 'deletions-at-equal', 'per-kind', 'strict', 'off']),
    effects: random.chance(0.25) ? 'with the commit' : 'before the commit',
    deliveredBy: random.pick(['service', 'service', 'queue']),
    skewsMs: Array.from({ length: random.integer(2, 4) }, () => random.pick([0, 0, random.integer(-600_000, 600_000)])),
    handled: new Set(KINDS.filter((kind) => !SOMETIMES_UNHANDLED.has(kind) || random.chance(0.6))),
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
/** Event times. An event gets any of them, because clocks are wrong. One of them is not a time. */
const TIMES = [1, 2, 3, 4].map((minute) => `2026-01-01T09:0${minute}:00.000Z`).concat('unknown') as [
  string,
  ...string[],
]
const SOMETIMES_UNHANDLED: ReadonlySet<EventKind> = new Set([
  'note.summary.generated',
  'note.ended',
  ...ENDPOINT_EVENT_KINDS,
])

function drawEvents(random: Random): readonly AddressedEvent[] {
  const [personal, channel] = INTEGRATIONS
  const events = [...drawEventsOf(personal, random)]
  // Two integrations may receive the same event, with the same event id and note id.
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
        const event = anEvent({ ...traits, kind, revision, recordingSessionId, occurredAt })
        const hasRevision = kind !== 'note.deleted' || random.chance(0.6)
        yield { integration, event: hasRevision ? event : withoutRevision(event) }
      }
      // A summary may become ready, and a note inaccessible, without a new revision (open point 20).
      revision += random.pick([0, 1, 1, 2])
    }
  }
  if (random.chance(0.15)) {
    const kind = random.pick(ENDPOINT_EVENT_KINDS)
    yield { integration, event: anEvent({ kind, eventId: `evt_endpoint_${integration[0]}` }) }
  }
}

/** A deletion may have no revision, or one of another type (open point 38). */
function withoutRevision(event: WebhookEvent): WebhookEvent {
  return { ...event, data: { ...event.data, revision: undefined } } as WebhookEvent
}

/** Describes an event for the log. */
export function describeEvent({ integration, event }: AddressedEvent): string {
  const { note_id: note, revision } = event.data as { note_id?: string; revision?: number }
  const place = note === undefined ? '' : ` of ${integration} ${note}`
  const version = note === undefined ? '' : ` at revision ${revision ?? 'unknown'}, ${event.occurred_at}`
  return `${event.event_id} (${event.event_type}${place}${version})`
}
