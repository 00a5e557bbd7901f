import { hasWork, type NoteState } from '../notes/note-state.ts'
import type { Decision } from './evidence.ts'
import { isAhead } from './time.ts'

const FIRST_PAUSE_MS = 1_000
/** The longest pause after a failure, in milliseconds. */
export const MAX_BACKOFF_MS = 5 * 60_000

/** The number of answered attempts after which a response that lags is accepted. Their pauses add up to eight and a half minutes. */
const MAX_ATTEMPTS = 8

/** The shortest time before a lower revision is accepted, in milliseconds: events may have shortened the pauses between the attempts. */
export const MIN_CONTRADICTION_MS = 8 * 60_000

/** The longest pause between two reads of a note, in milliseconds: its deletion was announced, and reads show a lower revision. */
export const MAX_REFUSAL_PAUSE_MS = 6 * 60 * 60_000

/** The pause after a number of attempts in a row that did not settle a note, in milliseconds. */
export function backoffAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 20), MAX_BACKOFF_MS)
}

/** Whether the service has answered enough attempts to accept a response that lags. */
export function areAttemptsUsedUp(attempts: number): boolean {
  return attempts >= MAX_ATTEMPTS
}

/** Sets `dueAt` if the note or its content must be read, and clears it otherwise. */
export function scheduled(state: NoteState, now: number): NoteState {
  return { ...state, dueAt: hasWork(state) ? (state.dueAt ?? now) : null }
}

/** Postpones a note after a request that failed. Failures say nothing about the note, so they do not count as attempts. */
export function postpone(state: NoteState, now: number): Decision {
  const failures = state.failures + 1
  const dueAt = now + backoffAfter(Math.max(failures, state.attempts))
  return { state: scheduled({ ...state, failures, dueAt }, now) }
}

/** Whether `dueAt` was written by a clock that was ahead: no pause is longer than `MAX_REFUSAL_PAUSE_MS`. */
export function isPostponedByWrongClock(dueAt: number, now: number): boolean {
  return isAhead(dueAt - MAX_REFUSAL_PAUSE_MS, now)
}

/** Whether a note that is due at `dueAt` must be read now. */
export function isDueAt(dueAt: number | null, now: number): boolean {
  return dueAt !== null && (dueAt <= now || isPostponedByWrongClock(dueAt, now))
}
