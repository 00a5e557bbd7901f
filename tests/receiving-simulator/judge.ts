import { type EventKind, isKnownEvent, isNoteEvent, type WebhookEvent } from '@notewire/protocol'
import { type AppliedRevision, type Claim, type NoteChange, passRevisionGate, raiseRevision } from '@notewire/webhooks'
import type { Owner, Schedule } from '../simulation/schedule.ts'
import { type AddressedEvent, type Circumstances, inWords } from './circumstances.ts'
import { type Grant, type HandlerCall, rowOf } from './handler-call.ts'

/** An effect of a handler that outlives the process. */
interface Effect {
  readonly call: HandlerCall
  readonly landedAt: number
}

/**
 * Holds everything that happens against what is promised, from outside: it never asks the store what it believes. The rule of
 * the revision gate it takes from the published code, where it has tests of its own.
 */
export class Judge {
  violation: string | undefined
  readonly #schedule: Schedule
  readonly #circumstances: Circumstances
  readonly #latestGrants = new Map<string, Grant>()
  readonly #calls: HandlerCall[] = []
  readonly #effects: Effect[] = []
  readonly #marks = new Map<string, number>()
  readonly #forgets = new Map<string, number[]>()
  /** What the marks of handled events have raised each note to. */
  readonly #raised = new Map<string, AppliedRevision>()
  /** What each note has stood at, by the effects in their order, and by the marks of the events that had one. */
  readonly #standings = { byEffects: new Standings(), byMarks: new Standings() }

  constructor(schedule: Schedule, circumstances: Circumstances) {
    this.#schedule = schedule
    this.#circumstances = circumstances
  }

  isHandled(event: WebhookEvent): boolean {
    const { handled, handlesUnknown } = this.#circumstances
    return isKnownEvent(event) ? handled.has(event.event_type as EventKind) : handlesUnknown
  }

  /** The store has granted a claim. */
  granted(claim: Claim): Grant {
    const { now } = this.#schedule
    const grant = {
      claim,
      grantedAt: now,
      validUntil: now + claim.request.leaseMs,
      takenOver: false,
      unsure: false,
      troubled: false,
    }
    for (const call of this.#calls) this.#refuseLapse(call)
    for (const key of keysOf(claim)) {
      const before = this.#latestGrants.get(key)
      if (before !== undefined) before.takenOver = true
      this.#latestGrants.set(key, grant)
    }
    return grant
  }

  /** The store has prolonged a claim. */
  renewed(grant: Grant): void {
    if (grant.takenOver) this.violated('A claim was renewed that another worker had taken over.')
    grant.validUntil = this.#schedule.now + grant.claim.request.leaseMs
  }

  /**
   * The store has taken a claim back.
   *
   * @param mayGiveUp  whether its handler has run, or its receiver been closing, for so long that the handler may be given up
   */
  released(grant: Grant, addressed: AddressedEvent, mayGiveUp: boolean): void {
    if (mayGiveUp) {
      grant.validUntil = Math.min(grant.validUntil, this.#schedule.now)
      grant.troubled = true
    } else if (this.#calls.some((call) => call.grant === grant && !call.ended && !call.owner.dead)) {
      this.violated(`The claim of ${inWords(addressed)} was given back while its handler was running.`)
    }
  }

  /** The store has marked the event of a claim as processed. */
  marked(grant: Grant, { integration, event }: AddressedEvent): void {
    if (grant.takenOver) this.violated('A claim was committed that another worker had taken over.')
    this.#marks.set(keyOfEvent(integration, event), this.#schedule.now)
    const change = changeOf(event)
    if (change === undefined || !this.isHandled(event)) return
    const key = keyOfNote(integration, event)
    this.#raised.set(key, raiseRevision(this.#raised.get(key), change))
    if (this.#effectsOf({ integration, event }).length > 0)
      this.#standings.byMarks.raise(key, change, this.#schedule.now)
  }

  /** The store has forgotten that an event was processed. */
  forgotten({ integration, event }: AddressedEvent): void {
    const key = keyOfEvent(integration, event)
    this.#forgets.set(key, [...(this.#forgets.get(key) ?? []), this.#schedule.now])
  }

  handlerBegins(addressed: AddressedEvent, owner: Owner, grant: Grant): HandlerCall {
    const call = { ...addressed, owner, grant, marking: false, ended: false, threw: false }
    for (const other of this.#calls) {
      if (other.ended || other.owner.dead || !sameNote(other, call)) continue
      // A process that stood still does not know that its lease has run out.
      if (Math.min(grant.validUntil, other.grant.validUntil) <= this.#schedule.now) continue
      this.violated(`${inWords(call)} was handed to a handler while another had ${inWords(other)} in its hands.`)
    }
    this.#calls.push(call)
    return call
  }

  /** The effect of a handler is durable; the mark came with it or is still to come. */
  landed(call: HandlerCall): void {
    this.#refuseRepeats(call)
    this.#refuseStepsBack(call)
    this.#effects.push({ call, landedAt: this.#schedule.now })
    const change = changeOf(call.event)
    if (change !== undefined) {
      this.#standings.byEffects.raise(keyOfNote(call.integration, call.event), change, this.#schedule.now)
    }
  }

  /** A receiver has told the service, or would have, that the event need not come again. */
  acknowledged(addressed: AddressedEvent, sentAt: number): void {
    const { integration, event } = addressed
    if (!this.isHandled(event)) return
    const forgottenAt = (this.#forgets.get(keyOfEvent(integration, event)) ?? []).filter((at) => at < sentAt).at(-1)
    const since = forgottenAt ?? Number.NEGATIVE_INFINITY
    if (this.#effectsOf(addressed).some(({ landedAt }) => landedAt >= since)) return
    if (forgottenAt === undefined && this.#isSuperseded(addressed, sentAt)) return
    this.violated(`${inWords(addressed)} was acknowledged, and was neither applied nor superseded: it is lost.`)
  }

  /**
   * Everything has come to rest.
   *
   * @param rows  what is in the database
   */
  conclude(rows: readonly string[]): void {
    const written = this.#effects.map(({ call }) => rowOf(call))
    if (written.join() !== rows.join()) this.violated(`In the end there are the rows ${rows}, and not ${written}.`)
    for (const addressed of this.#circumstances.events) {
      const change = changeOf(addressed.event)
      if (change === undefined || !this.isHandled(addressed.event)) continue
      const applied = this.#standings.byEffects.latest(keyOfNote(addressed.integration, addressed.event))
      const lostDeletion =
        change.kind === 'note.deleted' &&
        applied?.deleted === false &&
        this.#circumstances.gate !== 'strict' &&
        !this.#isRegained(addressed, change)
      if (applied === undefined || applied.revision < change.revision) {
        this.violated(`In the end, the note has not reached ${inWords(addressed)}.`)
      } else if (applied.revision === change.revision && lostDeletion) {
        this.violated(`In the end, the note is still there in spite of ${inWords(addressed)}.`)
      }
    }
  }

  /** Keeps the first. */
  violated(how: string): void {
    this.violation ??= how
  }

  #refuseLapse({ grant, owner, marking, ended, ...addressed }: HandlerCall): void {
    if (ended || marking || owner.dead || grant.unsure || grant.troubled) return
    if (grant.validUntil > this.#schedule.now) return
    this.violated(
      `The claim of ${inWords(addressed)} ran out under its handler, though nothing kept it from being renewed.`,
    )
  }

  #refuseRepeats(call: HandlerCall): void {
    const key = keyOfEvent(call.integration, call.event)
    const forgets = this.#forgets.get(key) ?? []
    const sinceForgotten = forgets.at(-1) ?? Number.NEGATIVE_INFINITY
    const earlier = this.#effectsOf(call).filter(({ landedAt }) => landedAt > sinceForgotten)
    if (this.#circumstances.effects === 'with the mark') {
      if (earlier.length > 0) this.violated(`${inWords(call)} was applied twice, in spite of its transaction.`)
      return
    }
    const markedAt = this.#marks.get(key)
    if (markedAt !== undefined && markedAt > sinceForgotten && call.grant.grantedAt >= markedAt) {
      this.violated(`${inWords(call)} was claimed and applied again after it had been marked.`)
    }
    for (const { call: other } of earlier) {
      if (other !== call && !mayRepeat(other, call)) {
        this.violated(`${inWords(call)} was applied again, and neither a crash nor a lost lease explains it.`)
      }
    }
  }

  #refuseStepsBack(call: HandlerCall): void {
    const change = changeOf(call.event)
    if (change === undefined || this.#forgets.has(keyOfEvent(call.integration, call.event))) return
    const late = call.ended || call.grant.validUntil <= this.#schedule.now
    // Without a transaction, nothing keeps a worker that was overtaken from writing.
    if (late && this.#circumstances.effects === 'before the mark') return
    const raised = this.#raised.get(keyOfNote(call.integration, call.event))
    if (passRevisionGate(this.#circumstances.gate, change, raised) === 'stale') {
      this.violated(`${inWords(call)} was applied after revision ${raised?.revision}.`)
    }
  }

  // The store decides at some moment of the attempt. A note may be deleted and regained in the course of it.
  #isSuperseded({ integration, event }: AddressedEvent, sentAt: number): boolean {
    const change = changeOf(event)
    if (change === undefined) return false
    const { byEffects, byMarks } = this.#standings
    const key = keyOfNote(integration, event)
    return [...byEffects.since(key, sentAt), ...byMarks.since(key, sentAt)].some(
      (applied) => passRevisionGate(this.#circumstances.gate, change, applied) === 'stale',
    )
  }

  /** Whether an event was applied at the revision of a deletion that occurred after it. */
  #isRegained({ integration, event }: AddressedEvent, deletion: NoteChange): boolean {
    return this.#effects.some(({ call }) => {
      const change = changeOf(call.event)
      if (change === undefined || keyOfNote(call.integration, call.event) !== keyOfNote(integration, event))
        return false
      const isLater = (change.occurredAt ?? 0) > (deletion.occurredAt ?? Number.POSITIVE_INFINITY)
      return change.kind !== 'note.deleted' && change.revision === deletion.revision && isLater
    })
  }

  #effectsOf({ integration, event }: AddressedEvent): readonly Effect[] {
    return this.#effects.filter(
      ({ call }) => call.integration === integration && call.event.event_id === event.event_id,
    )
  }
}

/** What notes have stood at, and since when. */
class Standings {
  readonly #ofNotes = new Map<string, { readonly from: number; readonly applied: AppliedRevision }[]>()

  raise(key: string, change: NoteChange, from: number): void {
    const standings = this.#ofNotes.get(key) ?? []
    standings.push({ from, applied: raiseRevision(standings.at(-1)?.applied, change) })
    this.#ofNotes.set(key, standings)
  }

  latest(key: string): AppliedRevision | undefined {
    return this.#ofNotes.get(key)?.at(-1)?.applied
  }

  /** What a note stood at then, and everything after it. */
  since(key: string, time: number): readonly AppliedRevision[] {
    const standings = this.#ofNotes.get(key) ?? []
    const before = standings.findLastIndex(({ from }) => from < time)
    return standings.slice(Math.max(before, 0)).map(({ applied }) => applied)
  }
}

/** Whether an event may be applied again after this call applied it: what is documented of handlers without transaction. */
function mayRepeat(first: HandlerCall, again: HandlerCall): boolean {
  const leaseLost = first.grant.takenOver && first.grant.validUntil <= again.grant.grantedAt
  const overtook = again.grant.takenOver && again.grant.validUntil <= first.grant.grantedAt
  return first.owner.dead || first.threw || again.threw || first.grant.unsure || leaseLost || overtook
}

function keysOf({ request: { integration, eventId, note } }: Claim): readonly string[] {
  return [`${integration} event ${eventId}`, ...(note === undefined ? [] : [`${integration} note ${note.noteId}`])]
}

function keyOfEvent(integration: string, event: WebhookEvent): string {
  return `${integration} ${event.event_id}`
}

function keyOfNote(integration: string, event: WebhookEvent): string {
  return `${integration} ${noteIdOf(event)}`
}

function sameNote(one: AddressedEvent, other: AddressedEvent): boolean {
  if (one.integration !== other.integration) return false
  if (one.event.event_id === other.event.event_id) return true
  const noteId = noteIdOf(one.event)
  return noteId !== undefined && noteId === noteIdOf(other.event)
}

function noteIdOf(event: WebhookEvent): string | undefined {
  return (event.data as { readonly note_id?: string }).note_id
}

function changeOf(event: WebhookEvent): NoteChange | undefined {
  if (!isNoteEvent(event)) return undefined
  const { revision, recording_session_id } = event.data
  const time = Date.parse(event.occurred_at ?? '')
  return {
    kind: event.event_type,
    revision,
    recordingSessionId: recording_session_id ?? undefined,
    occurredAt: Number.isNaN(time) ? undefined : time,
  }
}
