import type { Decision } from './decision.ts'
import type { NoteState } from './note-state.ts'
import { pauseAfter } from './patience.ts'
import { scheduled } from './schedule.ts'

/** Leaves a note whose reading failed for later. */
export function postpone(state: NoteState, now: number): Decision {
  const attempts = state.attempts + 1
  return { state: scheduled({ ...state, attempts, dueAt: now + pauseAfter(attempts) }, now) }
}
