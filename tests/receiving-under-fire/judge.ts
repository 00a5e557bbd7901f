import {
  type AppliedRevision,
  type GateMode,
  type NoteChange,
  passRevisionGate,
  raiseRevision,
} from '@notewire/webhooks'
import type { Moment } from './chronicle.ts'
import type { Effect } from './effect.ts'
import type { Damage } from './fire.ts'
import { INTEGRATIONS, type Integration, marksItself } from './integrations.ts'
import { type AddressedEvent, UNHANDLED } from './plan.ts'

/** The default, which the workers leave as it is. */
const GATE: GateMode = 'deletions-at-equal'

/** A lease, less what may pass between the claim and the call of the handler on a busy machine. */
const LEASE_AT_LEAST_MS = 17_000

/** What is left when everything is over. */
export interface Evidence extends Pick<Damage, 'killed' | 'paused'> {
  /** All that was sent; in the end, all of it has been acknowledged. */
  readonly sent: readonly AddressedEvent[]
  /** The effects that were committed with their marks, in their order, where the store has transactions. */
  readonly committed: readonly Effect[] | undefined
  readonly moments: readonly Moment[]
}

/** Every promise that was broken, in words. */
export function brokenPromises(evidence: Evidence): readonly string[] {
  const courts = INTEGRATIONS.map((integration) => new Court(integration, evidence))
  return courts.flatMap((court) => [
    ...court.lostEvents(),
    ...court.repeats(),
    ...court.stepsBack(),
    ...court.stolenClaims(),
    ...court.effectsOfLostClaims(),
  ])
}

/** Judges one integration: what happens in another must make no difference. */
class Court {
  readonly #evidence: Evidence
  readonly #events: ReadonlyMap<string, AddressedEvent>
  readonly #moments: readonly Moment[]
  /** What became of each run of a handler, where it is known. */
  readonly #outcomes: ReadonlyMap<string, Moment['what']>
  /** Whether effects come with their marks. */
  readonly #inTransactions: boolean
  readonly #effects: readonly Effect[]

  constructor(integration: Integration, evidence: Evidence) {
    const { committed, sent, moments } = evidence
    this.#evidence = evidence
    this.#events = new Map(
      sent.filter((each) => each.integration === integration).map((each) => [each.event.event_id, each]),
    )
    this.#moments = moments.filter((moment) => moment.integration === integration)
    this.#outcomes = new Map(
      this.#moments.flatMap(({ run, what }) => (run === undefined || TOLD_BY_HANDLERS.has(what) ? [] : [[run, what]])),
    )
    this.#inTransactions = marksItself(integration, committed !== undefined)
    this.#effects = this.#inTransactions
      ? (committed ?? []).filter((effect) => effect.integration === integration)
      : this.#moments.flatMap(({ what, run, eventId }) =>
          what === 'effect' && run ? [{ integration, eventId, run }] : [],
        )
  }

  /** Each event was applied, or a newer one of its note was. */
  lostEvents(): readonly string[] {
    const applied = new Set(this.#effects.map(({ eventId }) => eventId))
    const standing = new Map<string, AppliedRevision>()
    for (const { eventId } of this.#effects) this.#raise(standing, eventId)
    return [...this.#events.values()]
      .filter(({ event: { event_type, event_id, data } }) => {
        if (event_type === UNHANDLED || applied.has(event_id)) return false
        return passRevisionGate(GATE, this.#changeOf(event_id), standing.get(data.note_id)) === 'apply'
      })
      .map(({ event }) => this.#inWords(event.event_id, 'was acknowledged, and is lost'))
  }

  /**
   * Nothing is applied twice. Without a transaction it is, when something came between the effect and the mark; and
   * nothing keeps a worker that stood still from an effect that comes too late.
   */
  repeats(): readonly string[] {
    const unexplained = this.#effects.filter(({ run }) => this.#inTransactions || !this.#cameBetween(run))
    const byEvent = Map.groupBy(unexplained, ({ eventId }) => eventId)
    return [...byEvent]
      .filter(([, effects]) => effects.length > 1)
      .map(([eventId, effects]) =>
        this.#inWords(eventId, `was applied by ${effects.map(({ run }) => run).join(' and ')}`),
      )
  }

  /** Whatever was marked was news after what had been marked before. */
  stepsBack(): readonly string[] {
    const standing = new Map<string, AppliedRevision>()
    const broken: string[] = []
    for (const { eventId, run } of this.#effects) {
      if (!this.#inTransactions && this.#outcomes.get(run) !== 'applied') continue
      const applied = standing.get(this.#noteOf(eventId))
      if (passRevisionGate(GATE, this.#changeOf(eventId), applied) === 'stale') {
        broken.push(this.#inWords(eventId, `was applied after revision ${applied?.revision}`))
      }
      this.#raise(standing, eventId)
    }
    return broken
  }

  /** One note is in the hands of one worker, unless it was killed or stood still, and its lease has run out. */
  stolenClaims(): readonly string[] {
    const holders = new Map<string, Moment>()
    const broken: string[] = []
    for (const moment of this.#moments) {
      if (moment.run === undefined) continue
      const noteId = this.#noteOf(moment.eventId)
      const holder = holders.get(noteId)
      if (moment.what !== 'begins') {
        if (holder?.run === moment.run && moment.what !== 'effect') holders.delete(noteId)
        continue
      }
      if (holder !== undefined && !this.#mayTakeOver(holder, moment)) {
        broken.push(this.#inWords(moment.eventId, `was begun by ${moment.run} while ${holder.run} held the note`))
      }
      holders.set(noteId, moment)
    }
    return broken
  }

  /** Who was told that the claim is lost has had no effect. */
  effectsOfLostClaims(): readonly string[] {
    if (!this.#inTransactions) return []
    return this.#effects
      .filter(({ run }) => this.#outcomes.get(run) === 'claim-lost')
      .map(({ eventId, run }) => this.#inWords(eventId, `was applied by ${run}, whose claim was lost`))
  }

  #cameBetween(run: string): boolean {
    const outcome = this.#outcomes.get(run)
    const worker = workerOf(run)
    if (outcome === undefined) return this.#evidence.killed.has(worker)
    return outcome === 'store-failed' || (outcome === 'claim-lost' && this.#evidence.paused.has(worker))
  }

  #mayTakeOver(holder: Moment, heir: Moment): boolean {
    const { killed, paused } = this.#evidence
    return (killed.has(holder.worker) || paused.has(holder.worker)) && heir.at - holder.at >= LEASE_AT_LEAST_MS
  }

  #raise(standing: Map<string, AppliedRevision>, eventId: string): void {
    const noteId = this.#noteOf(eventId)
    standing.set(noteId, raiseRevision(standing.get(noteId), this.#changeOf(eventId)))
  }

  #changeOf(eventId: string): NoteChange {
    const { event_type, data } = this.#eventOf(eventId).event
    return { kind: event_type, revision: data.revision, recordingSessionId: data.recording_session_id ?? undefined }
  }

  #noteOf(eventId: string): string {
    return this.#eventOf(eventId).event.data.note_id
  }

  #eventOf(eventId: string): AddressedEvent {
    const event = this.#events.get(eventId)
    if (event === undefined) throw new Error(`nobody has sent ${eventId}`)
    return event
  }

  #inWords(eventId: string, what: string): string {
    const { integration, event } = this.#eventOf(eventId)
    const story = this.#moments
      .filter((moment) => this.#noteOf(moment.eventId) === event.data.note_id)
      .map((moment) => `\n  ${moment.at} ${moment.run ?? moment.worker}: ${moment.what} ${moment.eventId}`)
    return `${event.event_type} ${eventId} of ${integration}, revision ${event.data.revision}, ${what}:${story.join('')}`
  }
}

const TOLD_BY_HANDLERS: ReadonlySet<Moment['what']> = new Set(['begins', 'effect', 'leaves'])

function workerOf(run: string): string {
  return run.split(' ').slice(0, 2).join(' ')
}
