import { hasWork, type NoteState } from '../interfaces/note-state.ts'
import type { Decision } from './decision.ts'
import { isAhead } from './time.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 5 * 60_000

/** How often an answer that lags behind an event is asked for again: the pauses add up to eight and a half minutes. */
const MOST_ATTEMPTS = 8

/** For how long at least such answers are not believed, in milliseconds: events may have hastened the attempts. */
export const PATIENCE_MS = 8 * 60_000

/**
 * The longest time between two attempts on a note, in milliseconds: for a note whose deletion was announced, and which reads still show
 * at a lower revision.
 */
export const LONGEST_WAIT_MS = 6 * 60 * 60_000

/** The pause after a number of attempts in a row that did not settle a note, in milliseconds. */
export function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 20), LONGEST_PAUSE_MS)
}

/** Whether an answer of the service is to be believed although it lags behind an event. */
export function isPatienceSpent(attempts: number): boolean {
  return attempts >= MOST_ATTEMPTS
}

/** Makes a note due if there is something to read for it, and not due otherwise. */
export function scheduled(state: NoteState, now: number): NoteState {
  return { ...state, dueAt: hasWork(state) ? (state.dueAt ?? now) : null }
}

/** Postpones a note that could not be read. */
export function postpone(state: NoteState, now: number): Decision {
  const attempts = state.attempts + 1
  return { state: scheduled({ ...state, attempts, dueAt: now + pauseAfter(attempts) }, now) }
}

/** Whether a clock that was ahead postponed a note: nothing is due later than the longest wait from now. */
export function isPostponedByWrongClock(dueAt: number, now: number): boolean {
  return isAhead(dueAt - LONGEST_WAIT_MS, now)
}
