import { type ErrorFacts, errorFactsOf } from '@notewire/protocol'
import { isHeld } from '../concurrency/lease.ts'
import type {
  ConsumableNotes,
  ConsumerCommit,
  ConsumerNote,
  ConsumerRecord,
  ConsumerState,
} from '../consumers/consumer-store.ts'
import { backoffAfter } from '../rules/backoff.ts'
import { isAhead } from '../rules/time.ts'
import { type Delivery, deliveryOf } from './delivery.ts'

/** A note is parked after this many attempts, about one and a half hours after the first. */
const MAX_ATTEMPTS = 8

const FIRST_PAUSE_MS = 1_000

const MAX_PAUSE_MS = 6 * 60 * 60_000

export type RoundResult = Pick<ConsumerCommit, 'state' | 'notes' | 'forgetsApplied'>

/** When the consumer's next work is due; `null` if it has none. Ignores times that only a clock that was ahead can have written. */
export function dueTime({ state, hasChanges, nextDueAt }: ConsumerRecord, now: number): number | null {
  const backoffUntil = backoffEnd(state.dueAt ?? 0, now)
  const heldUntil = isHeld(state.leaseUntil, now) ? state.leaseUntil : now
  const workAt = hasChanges || isTooLate(nextDueAt, now) ? now : nextDueAt
  return workAt === null ? null : Math.max(workAt, backoffUntil, heldUntil)
}

/** The time up to which waiting notes are due: later than now if only a clock that was ahead can have written the time of the next note. */
export function dueUntil({ nextDueAt }: ConsumerRecord, now: number): number {
  return nextDueAt !== null && isTooLate(nextDueAt, now) ? nextDueAt : now
}

/** The end of a backoff: now if only a clock that was ahead can have written it. */
export function backoffEnd(dueAt: number, now: number): number {
  return isTooLate(dueAt, now) ? now : dueAt
}

/** Whether only a clock that was ahead can have written the end of a pause. */
function isTooLate(time: number | null, now: number): boolean {
  return time !== null && isAhead(time - MAX_PAUSE_MS, now)
}

/**
 * Chooses the deliveries of a round: while there are changes, at most half of them are retries. `limit` grows by one after each failed round, so
 * that a batch of notes that all fail does not block the consumer.
 */
export function chooseDeliveries(
  { due, changes }: ConsumableNotes,
  state: ConsumerState,
  limit: number,
): readonly Delivery[] {
  const retried = due.slice(0, changes.length === 0 ? limit : Math.ceil(limit / 2))
  return [...retried, ...changes].slice(0, limit).map((note) => deliveryOf(note, state))
}

export function reachesEnd({ changes }: ConsumableNotes, deliveries: readonly Delivery[], limit: number): boolean {
  const last = changes.at(-1)
  return changes.length < limit && (last === undefined || deliveries.at(-1)?.note === last)
}

/**
 * Decides what a round commits. If every delivery failed and not all were retries, the consumer backs off. Otherwise the cursor moves past all
 * deliveries, and the failed notes wait or are parked.
 *
 * @param failures  the errors, by note id
 * @param isAtEnd  whether the deliveries include the latest change
 */
export function afterRound(
  state: ConsumerState,
  deliveries: readonly Delivery[],
  failures: ReadonlyMap<string, ErrorFacts>,
  isAtEnd: boolean,
  now: number,
): RoundResult {
  const delivered = deliveries.filter(({ kind }) => kind !== 'nothing')
  const [error = null] = failures.values()
  const areAllFailed = error !== null && delivered.length === failures.size
  if (areAllFailed && delivered.some(({ note }) => note.position > state.cursor)) {
    const dueAt = now + backoffAfter(state.failures)
    return unchanged({ ...state, failures: state.failures + 1, dueAt, leaseUntil: null, error })
  }
  const cursor = Math.max(state.cursor, ...deliveries.map(({ note }) => note.position))
  const base = isAtEnd ? cursor : state.base
  const notes = deliveries.map((delivery): [string, ConsumerNote | null] => {
    const { noteId } = delivery.note.state
    const failure = failures.get(noteId)
    return [noteId, failure ? afterFailure(delivery, failure, state.cursor, now) : afterSuccess(delivery, base)]
  })
  return {
    state: { ...state, cursor, base, failures: 0, dueAt: null, leaseUntil: null, error: null },
    notes: new Map(notes),
    forgetsApplied: isAtEnd,
  }
}

/** What a single delivery commits before the round ends: the note is recorded as applied, and the cursor does not move. */
export function afterSingle(state: ConsumerState, delivery: Delivery): RoundResult {
  return { ...unchanged(state), notes: new Map([[delivery.note.state.noteId, afterSuccess(delivery, state.base)]]) }
}

/** Makes all parked notes due now, with no attempts. */
export function retried({ state, notes }: ConsumerRecord, now: number): RoundResult {
  const due = notes?.parked.map(({ noteId, ...note }) => [noteId, { ...note, attempts: 0, dueAt: now, parkedAt: null }])
  return { ...unchanged(state), notes: new Map((due ?? []) as [string, ConsumerNote][]) }
}

/**
 * Takes back that a round has recorded notes as applied: they have failed, and wait or are parked.
 *
 * @param cursor  the cursor before the round
 */
export function dueAgain(
  state: ConsumerState,
  deliveries: readonly Delivery[],
  cursor: number,
  error: unknown,
  now: number,
): RoundResult {
  const facts = errorFactsOf(error)
  const notes = deliveries.map((delivery): [string, ConsumerNote] => [
    delivery.note.state.noteId,
    afterFailure(delivery, facts, cursor, now),
  ])
  return { ...unchanged(state), notes: new Map(notes) }
}

export function unchanged(state: ConsumerState): RoundResult {
  return { state, notes: new Map(), forgetsApplied: false }
}

function afterSuccess({ note: { position } }: Delivery, base: number): ConsumerNote | null {
  return position > base ? { since: position, attempts: 0, dueAt: null, parkedAt: null, error: null } : null
}

/** The record of a failed note. The first failure of a new change counts as the first attempt. */
function afterFailure({ note, since, kind }: Delivery, error: ErrorFacts, cursor: number, now: number): ConsumerNote {
  const attempts = (note.position > cursor ? 0 : (note.kept?.attempts ?? 0)) + 1
  if (attempts >= MAX_ATTEMPTS && kind !== 'removed') return { since, attempts, dueAt: null, parkedAt: now, error }
  const pauseMs = Math.min(FIRST_PAUSE_MS * 4 ** (attempts - 1), MAX_PAUSE_MS)
  return { since, attempts, dueAt: now + pauseMs, parkedAt: null, error }
}
