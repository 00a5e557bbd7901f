import { type EventKind, isKnownEvent, isNoteEvent, type WebhookEvent } from '@notewire/protocol'
import {
  type AppliedRevision,
  type Claim,
  type NoteChange,
  passRevisionGate,
  raiseRevision,
} from '@notewire/webhooks/store'
import type { Owner, Schedule } from '../simulation/schedule.ts'
import { type Grant, type HandlerCall, rowOf } from './handler-call.ts'
import { type AddressedEvent, describeEvent, type Scenario } from './scenario.ts'

/** A durable effect of a handler. */
interface Effect {
  readonly call: HandlerCall
  readonly writtenAt: number
}

/**
 * Compares everything that happens with the promises. It never reads the state of the store. It imports the rule of the
 * revision gate from the published code, where the rule has its own tests.
 */
export class InvariantChecker {
  violation: string | undefined
  readonly #schedule: Schedule
  readonly #scenario: Scenario
  readonly #latestGrants = new Map<string, Grant>()
  readonly #calls: HandlerCall[] = []
  readonly #effects: Effect[] = []
  readonly #commitTimes = new Map<string, number>()
  readonly #forgetTimes = new Map<string, number[]>()
  /** The revision of each note, by the commits of handled events. */
  readonly #appliedRevisions = new Map<string, AppliedRevision>()
  /** The former revisions of each note: by effects, and by the commits of events with an effect. */
  readonly #histories = { byEffects: new RevisionHistories(), byCommits: new RevisionHistories() }

  constructor(schedule: Schedule, scenario: Scenario) {
    this.#schedule = schedule
    this.#scenario = scenario
  }

  isHandled(event: WebhookEvent): boolean {
    const { handled, handlesUnknown } = this.#scenario
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
      mayHaveEnded: false,
      mayExpire: false,
    }
    for (const call of this.#calls) this.#checkLease(call)
    for (const key of keysOf(claim)) {
      const before = this.#latestGrants.get(key)
      if (before !== undefined) before.takenOver = true
      this.#latestGrants.set(key, grant)
    }
    return grant
  }

  /** The store has renewed a claim. */
  renewed(grant: Grant): void {
    if (grant.takenOver) this.violated('A claim was renewed that another worker had taken over.')
    grant.validUntil = this.#schedule.now + grant.claim.request.leaseMs
  }

  /**
   * The store has released a claim.
   *
   * @param mayBeAbandoned  whether the handler has exceeded its timeout, or the grace period of the closing receiver
   */
  released(grant: Grant, addressed: AddressedEvent, mayBeAbandoned: boolean): void {
    if (mayBeAbandoned) {
      grant.validUntil = Math.min(grant.validUntil, this.#schedule.now)
      grant.mayExpire = true
    } else if (this.#calls.some((call) => call.grant === grant && !call.ended && !call.owner.dead)) {
      this.violated(`The claim of ${describeEvent(addressed)} was released while its handler was running.`)
    }
  }

  /** The store has committed a claim. */
  committed(grant: Grant, { integration, event }: AddressedEvent): void {
    if (grant.takenOver) this.violated('A claim was committed that another worker had taken over.')
    this.#commitTimes.set(keyOfEvent(integration, event), this.#schedule.now)
    const change = changeOf(event)
    if (change === undefined || !this.isHandled(event)) return
    const key = keyOfNote(integration, event)
    this.#appliedRevisions.set(key, raiseRevision(this.#appliedRevisions.get(key), change))
    if (this.#effectsOf({ integration, event }).length > 0)
      this.#histories.byCommits.raise(key, change, this.#schedule.now)
  }

  /** The store has executed `forget` for an event. */
  forgotten({ integration, event }: AddressedEvent): void {
    const key = keyOfEvent(integration, event)
    this.#forgetTimes.set(key, [...(this.#forgetTimes.get(key) ?? []), this.#schedule.now])
  }

  handlerCalled(addressed: AddressedEvent, owner: Owner, grant: Grant): HandlerCall {
    const call = { ...addressed, owner, grant, ended: false, threw: false }
    for (const other of this.#calls) {
      if (other.ended || other.owner.dead || !sameNote(other, call)) continue
      // A process that froze does not notice that its lease has expired.
      if (Math.min(grant.validUntil, other.grant.validUntil) <= this.#schedule.now) continue
      this.violated(
        `${describeEvent(call)} was passed to a handler while another handler was processing ${describeEvent(other)}.`,
      )
    }
    this.#calls.push(call)
    return call
  }

  /** The effect of a handler is durable. Its commit is part of the same transaction, or comes later. */
  effectWritten(call: HandlerCall): void {
    this.#checkRepeats(call)
    this.#checkOrder(call)
    this.#effects.push({ call, writtenAt: this.#schedule.now })
    const change = changeOf(call.event)
    if (change !== undefined) {
      this.#histories.byEffects.raise(keyOfNote(call.integration, call.event), change, this.#schedule.now)
    }
  }

  /** A receiver has acknowledged an event, although the answer may still be lost. */
  acknowledged(addressed: AddressedEvent, sentAt: number): void {
    const { integration, event } = addressed
    if (!this.isHandled(event)) return
    const forgottenAt = (this.#forgetTimes.get(keyOfEvent(integration, event)) ?? []).filter((at) => at < sentAt).at(-1)
    const since = forgottenAt ?? Number.NEGATIVE_INFINITY
    if (this.#effectsOf(addressed).some(({ writtenAt }) => writtenAt >= since)) return
    if (forgottenAt === undefined && this.#isSuperseded(addressed, sentAt)) return
    this.violated(`${describeEvent(addressed)} was acknowledged, and was neither applied nor superseded: it is lost.`)
  }

  /**
   * Checks the state after the last step.
   *
   * @param rows  the rows in the database
   */
  checkEnd(rows: readonly string[]): void {
    const written = this.#effects.map(({ call }) => rowOf(call))
    if (written.join() !== rows.join())
      this.violated(`In the end the database contains the rows ${rows} instead of ${written}.`)
    for (const addressed of this.#scenario.events) {
      const change = changeOf(addressed.event)
      if (change === undefined || !this.isHandled(addressed.event)) continue
      const applied = this.#histories.byEffects.latest(keyOfNote(addressed.integration, addressed.event))
      const above = (change.revision ?? -1) - (applied?.revision ?? -1)
      const lostDeletion =
        change.kind === 'note.deleted' &&
        applied?.deleted === false &&
        (change.revision === undefined || (above === 0 && this.#scenario.gate !== 'strict')) &&
        !this.#isRestored(addressed, change)
      if (applied === undefined || (above > 0 && !this.#isBeforeDeletion(addressed, change))) {
        this.violated(`In the end the note is older than ${describeEvent(addressed)}.`)
      } else if (lostDeletion) {
        this.violated(`In the end the note exists in spite of ${describeEvent(addressed)}.`)
      }
    }
  }

  /** Records a violation. The first one stays. */
  violated(how: string): void {
    this.violation ??= how
  }

  #checkLease({ grant, owner, ended, ...addressed }: HandlerCall): void {
    if (ended || owner.dead || grant.mayHaveEnded || grant.mayExpire) return
    if (grant.validUntil > this.#schedule.now) return
    this.violated(
      `The claim of ${describeEvent(addressed)} expired while its handler was running, although nothing prevented its renewal.`,
    )
  }

  #checkRepeats(call: HandlerCall): void {
    const key = keyOfEvent(call.integration, call.event)
    const forgets = this.#forgetTimes.get(key) ?? []
    const lastForget = forgets.at(-1) ?? Number.NEGATIVE_INFINITY
    const earlier = this.#effectsOf(call).filter(({ writtenAt }) => writtenAt > lastForget)
    if (this.#scenario.effects === 'with the commit') {
      if (earlier.length > 0) this.violated(`${describeEvent(call)} was applied twice in spite of transactions.`)
      return
    }
    const committedAt = this.#commitTimes.get(key)
    if (committedAt !== undefined && committedAt > lastForget && call.grant.grantedAt >= committedAt) {
      this.violated(`${describeEvent(call)} was claimed and applied again after its commit.`)
    }
    for (const { call: other } of earlier) {
      if (other !== call && !mayRepeat(other, call)) {
        this.violated(`${describeEvent(call)} was applied again without a crash or a lost claim.`)
      }
    }
  }

  #checkOrder(call: HandlerCall): void {
    const change = changeOf(call.event)
    if (change === undefined || this.#forgetTimes.has(keyOfEvent(call.integration, call.event))) return
    const late = call.ended || call.grant.validUntil <= this.#schedule.now
    // Without a transaction, a worker that lost its claim can still write.
    if (late && this.#scenario.effects === 'before the commit') return
    const raised = this.#appliedRevisions.get(keyOfNote(call.integration, call.event))
    if (passRevisionGate(this.#scenario.gate, change, raised) === 'stale') {
      this.violated(`${describeEvent(call)} was applied after revision ${raised?.revision}.`)
    }
  }

  // The store decides at some moment of the attempt. A note may be deleted and restored during the attempt.
  #isSuperseded({ integration, event }: AddressedEvent, sentAt: number): boolean {
    const change = changeOf(event)
    if (change === undefined) return false
    const { byEffects, byCommits } = this.#histories
    const key = keyOfNote(integration, event)
    return [...byEffects.since(key, sentAt), ...byCommits.since(key, sentAt)].some(
      (applied) => passRevisionGate(this.#scenario.gate, change, applied) === 'stale',
    )
  }

  /** Whether an event that occurred after a deletion was applied: at its revision, or at any if the deletion has none. */
  #isRestored(deleted: AddressedEvent, deletion: NoteChange): boolean {
    return this.#changesApplied(deleted).some((change) => {
      const isLater = (change.occurredAt ?? 0) > (deletion.occurredAt ?? Number.POSITIVE_INFINITY)
      if (deletion.revision === undefined) return isLater && change.revision !== undefined
      return isLater && change.kind !== 'note.deleted' && change.revision === deletion.revision
    })
  }

  /** Whether the gate may ignore a higher revision: a deletion without a revision was applied, and one deletion occurred later. */
  #isBeforeDeletion(addressed: AddressedEvent, { kind, occurredAt }: NoteChange): boolean {
    const deletions = this.#changesApplied(addressed).filter((change) => change.kind === 'note.deleted')
    return (
      kind !== 'note.deleted' &&
      this.#scenario.gate !== 'off' &&
      deletions.some(({ revision }) => revision === undefined) &&
      deletions.some((deletion) => !((occurredAt ?? 0) > (deletion.occurredAt ?? Number.POSITIVE_INFINITY)))
    )
  }

  #changesApplied({ integration, event }: AddressedEvent): readonly NoteChange[] {
    return this.#effects
      .filter(({ call }) => keyOfNote(call.integration, call.event) === keyOfNote(integration, event))
      .flatMap(({ call }) => changeOf(call.event) ?? [])
  }

  #effectsOf({ integration, event }: AddressedEvent): readonly Effect[] {
    return this.#effects.filter(
      ({ call }) => call.integration === integration && call.event.event_id === event.event_id,
    )
  }
}

/** The revisions of notes, and since when each was the latest. */
class RevisionHistories {
  readonly #byNote = new Map<string, { readonly from: number; readonly applied: AppliedRevision }[]>()

  raise(key: string, change: NoteChange, from: number): void {
    const history = this.#byNote.get(key) ?? []
    history.push({ from, applied: raiseRevision(history.at(-1)?.applied, change) })
    this.#byNote.set(key, history)
  }

  latest(key: string): AppliedRevision | undefined {
    return this.#byNote.get(key)?.at(-1)?.applied
  }

  /** The revision of a note at a time, and all later ones. */
  since(key: string, time: number): readonly AppliedRevision[] {
    const history = this.#byNote.get(key) ?? []
    const before = history.findLastIndex(({ from }) => from < time)
    return history.slice(Math.max(before, 0)).map(({ applied }) => applied)
  }
}

/** Whether the documentation of handlers without transactions allows the second call to apply the event of the first again. */
function mayRepeat(first: HandlerCall, again: HandlerCall): boolean {
  const leaseLost = first.grant.takenOver && first.grant.validUntil <= again.grant.grantedAt
  const firstTookOver = again.grant.takenOver && again.grant.validUntil <= first.grant.grantedAt
  return first.owner.dead || first.threw || again.threw || first.grant.mayHaveEnded || leaseLost || firstTookOver
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
  const time = Date.parse(event.occurred_at ?? '')
  const recordingSessionId = event.data.recording_session_id ?? undefined
  const occurredAt = Number.isNaN(time) ? undefined : time
  return event.event_type === 'note.deleted'
    ? { kind: event.event_type, revision: event.data.revision, recordingSessionId, occurredAt }
    : { kind: event.event_type, revision: event.data.revision, recordingSessionId, occurredAt }
}
