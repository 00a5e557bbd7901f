import {
  type AppliedRevision,
  type GateMode,
  type NoteChange,
  passRevisionGate,
  raiseRevision,
} from '@notewire/webhooks/store'
import type { ChaosResult } from './chaos.ts'
import type { ChronicleEntry } from './chronicle.ts'
import type { Effect } from './databases/worker-database.ts'
import { INTEGRATIONS, type Integration } from './integrations.ts'
import { type AddressedEvent, UNHANDLED } from './plan.ts'

/** The default mode, which the workers use. */
const GATE: GateMode = 'deletions-at-equal'

/** The duration of a lease, minus the time between the claim and the call of the handler on a busy machine. */
const MIN_LEASE_MS = 17_000

/** The results of a test run. */
export interface Evidence extends Pick<ChaosResult, 'killed' | 'paused'> {
  /** Everything that was sent. All of it was acknowledged in the end. */
  readonly sent: readonly AddressedEvent[]
  /** The effects whose transactions have committed, in order. Empty without transactions of the receiver. */
  readonly committed: readonly Effect[]
  /** Whether the receiver opens transactions. */
  readonly inTransactions: boolean
  readonly entries: readonly ChronicleEntry[]
}

/** Describes every broken promise. */
export function brokenPromises(evidence: Evidence): readonly string[] {
  const checkers = INTEGRATIONS.map((integration) => new IntegrationChecker(integration, evidence))
  return checkers.flatMap((checker) => [
    ...checker.lostEvents(),
    ...checker.repeatedEffects(),
    ...checker.effectsOutOfOrder(),
    ...checker.overlappingClaims(),
    ...checker.effectsOfLostClaims(),
  ])
}

/** Checks one integration. The other integration must have no influence on it. */
class IntegrationChecker {
  readonly #evidence: Evidence
  readonly #events: ReadonlyMap<string, AddressedEvent>
  readonly #entries: readonly ChronicleEntry[]
  /** The outcome of each run of a handler, if it is known. */
  readonly #outcomes: ReadonlyMap<string, ChronicleEntry['what']>
  /** Whether all workers commit the events in the transactions of their effects. */
  readonly #inTransactions: boolean
  readonly #effects: readonly Effect[]

  constructor(integration: Integration, evidence: Evidence) {
    const { committed, inTransactions, sent, entries } = evidence
    this.#evidence = evidence
    this.#events = new Map(
      sent.filter((each) => each.integration === integration).map((each) => [each.event.event_id, each]),
    )
    this.#entries = entries.filter((entry) => entry.integration === integration)
    this.#outcomes = new Map(
      this.#entries.flatMap(({ run, what }) =>
        run === undefined || WRITTEN_BY_HANDLERS.has(what) ? [] : [[run, what]],
      ),
    )
    this.#inTransactions = inTransactions && integration === 'personal'
    const isCommitted = new Set(committed.map(({ run }) => run))
    this.#effects = this.#inTransactions
      ? committed.filter((effect) => effect.integration === integration)
      : this.#entries.flatMap(({ what, run, eventId, inTransaction }) => {
          const isEffect = inTransaction ? what === 'begins' && run && isCommitted.has(run) : what === 'effect'
          return isEffect && run ? [{ integration, eventId, run }] : []
        })
  }

  /** Each event was applied, or superseded by a newer event of its note. */
  lostEvents(): readonly string[] {
    const applied = new Set(this.#effects.map(({ eventId }) => eventId))
    const revisions = new Map<string, AppliedRevision>()
    for (const { eventId } of this.#effects) this.#raise(revisions, eventId)
    return [...this.#events.values()]
      .filter(({ event: { event_type, event_id, data } }) => {
        if (event_type === UNHANDLED || applied.has(event_id)) return false
        return passRevisionGate(GATE, this.#changeOf(event_id), revisions.get(data.note_id)) === 'apply'
      })
      .map(({ event }) => this.#describe(event.event_id, 'was acknowledged and is lost'))
  }

  /**
   * No event is applied twice. Exceptions without a transaction: a failure between the effect and the commit, and a worker
   * that was paused, which may have its effect too late.
   */
  repeatedEffects(): readonly string[] {
    const unexplained = this.#effects.filter(({ run }) => this.#inTransactions || !this.#mayRepeat(run))
    const byEvent = Map.groupBy(unexplained, ({ eventId }) => eventId)
    return [...byEvent]
      .filter(([, effects]) => effects.length > 1)
      .map(([eventId, effects]) =>
        this.#describe(eventId, `was applied by ${effects.map(({ run }) => run).join(' and ')}`),
      )
  }

  /** No committed event is older than an event that was committed before it. */
  effectsOutOfOrder(): readonly string[] {
    const revisions = new Map<string, AppliedRevision>()
    const broken: string[] = []
    for (const { eventId, run } of this.#effects) {
      if (!this.#inTransactions && this.#outcomes.get(run) !== 'applied') continue
      const applied = revisions.get(this.#noteOf(eventId))
      if (passRevisionGate(GATE, this.#changeOf(eventId), applied) === 'stale') {
        broken.push(this.#describe(eventId, `was applied after revision ${applied?.revision}`))
      }
      this.#raise(revisions, eventId)
    }
    return broken
  }

  /**
   * No two workers process one note, unless the first was killed or paused and its lease has expired. A worker that was paused may also begin in a
   * transaction that PostgreSQL has ended meanwhile: whatever it writes there fails.
   */
  overlappingClaims(): readonly string[] {
    const holders = new Map<string, ChronicleEntry>()
    const broken: string[] = []
    for (const entry of this.#entries) {
      if (entry.run === undefined) continue
      const noteId = this.#noteOf(entry.eventId)
      const holder = holders.get(noteId)
      if (entry.what !== 'begins') {
        if (holder?.run === entry.run && entry.what !== 'effect') holders.delete(noteId)
        continue
      }
      if (holder !== undefined && entry.inTransaction === true && this.#evidence.paused.has(entry.worker)) continue
      if (holder !== undefined && !this.#mayTakeOver(holder, entry)) {
        broken.push(
          this.#describe(entry.eventId, `was begun by ${entry.run} while ${holder.run} was processing the note`),
        )
      }
      holders.set(noteId, entry)
    }
    return broken
  }

  /** A run whose outcome is `claim-lost` has had no effect. */
  effectsOfLostClaims(): readonly string[] {
    if (!this.#inTransactions) return []
    return this.#effects
      .filter(({ run }) => this.#outcomes.get(run) === 'claim-lost')
      .map(({ eventId, run }) => this.#describe(eventId, `was applied by ${run}, whose claim was lost`))
  }

  #mayRepeat(run: string): boolean {
    const outcome = this.#outcomes.get(run)
    const worker = workerOf(run)
    if (outcome === undefined) return this.#evidence.killed.has(worker)
    return outcome === 'store-failed' || (outcome === 'claim-lost' && this.#evidence.paused.has(worker))
  }

  #mayTakeOver(holder: ChronicleEntry, next: ChronicleEntry): boolean {
    const { killed, paused } = this.#evidence
    const isGone = killed.has(holder.worker) || paused.has(holder.worker)
    return isGone && (holder.inTransaction === true || next.at - holder.at >= MIN_LEASE_MS)
  }

  #raise(revisions: Map<string, AppliedRevision>, eventId: string): void {
    const noteId = this.#noteOf(eventId)
    revisions.set(noteId, raiseRevision(revisions.get(noteId), this.#changeOf(eventId)))
  }

  #changeOf(eventId: string): NoteChange {
    const { event_type: kind, data } = this.#eventOf(eventId).event
    const revision = data.revision ?? 0
    return { kind, revision, recordingSessionId: data.recording_session_id ?? undefined }
  }

  #noteOf(eventId: string): string {
    return this.#eventOf(eventId).event.data.note_id
  }

  #eventOf(eventId: string): AddressedEvent {
    const event = this.#events.get(eventId)
    if (event === undefined) throw new Error(`the service has not sent ${eventId}`)
    return event
  }

  #describe(eventId: string, what: string): string {
    const { integration, event } = this.#eventOf(eventId)
    const story = this.#entries
      .filter((entry) => this.#noteOf(entry.eventId) === event.data.note_id)
      .map((entry) => `\n  ${entry.at} ${entry.run ?? entry.worker}: ${entry.what} ${entry.eventId}`)
    return `${event.event_type} ${eventId} of ${integration}, revision ${event.data.revision}, ${what}:${story.join('')}`
  }
}

const WRITTEN_BY_HANDLERS: ReadonlySet<ChronicleEntry['what']> = new Set(['begins', 'effect', 'ends'])

function workerOf(run: string): string {
  return run.split(' ').slice(0, 2).join(' ')
}
