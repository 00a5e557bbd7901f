import { hasWork, type NoteState } from '../interfaces/note-state.ts'
import type { Decision } from './decision.ts'
import { isAhead } from './time.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5 * 60_000

/** The attempts before a response that lags behind an event is accepted. The pauses add up to eight and a half minutes. */
const MOST_ATTEMPTS = 8

/** Such a response is not accepted before this time, in milliseconds: events may have shortened the pauses. */
export const PATIENCE_MS = 8 * 60_000

/** The longest pause, in milliseconds: for a note whose deletion was announced, while reads show a lower revision. */
export const LONGEST_WAIT_MS = 6 * 60 * 60_000

/** The pause after a number of attempts in a row that did not settle a note, in milliseconds. */
export function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 20), LONGEST_PAUSE_MS)
}

/** Whether a response is accepted although it lags behind an event. */
export function isPatienceSpent(attempts: number): boolean {
  return attempts >= MOST_ATTEMPTS
}

/** Makes a note due if it or its content is to be read, and not due otherwise. */
export function scheduled(state: NoteState, now: number): NoteState {
  return { ...state, dueAt: hasWork(state) ? (state.dueAt ?? now) : null }
}

/** Postpones a note that could not be read. */
export function postpone(state: NoteState, now: number): Decision {
  const attempts = state.attempts + 1
  return { state: scheduled({ ...state, attempts, dueAt: now + pauseAfter(attempts) }, now) }
}

/** Whether a clock that was ahead postponed a note: no pause is longer than `LONGEST_WAIT_MS`. */
export function isPostponedByWrongClock(dueAt: number, now: number): boolean {
  return isAhead(dueAt - LONGEST_WAIT_MS, now)
}
