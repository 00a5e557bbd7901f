import type { NoteState } from '../interfaces/note-state.ts'
import { isPatienceSpent, LONGEST_WAIT_MS, PATIENCE_MS, pauseAfter } from './backoff.ts'
import type { ReadStamp } from './decision.ts'
import { trustedTime } from './time.ts'

/** Leaves a note unsettled and reads it again later, because a read shows a lower revision than is known (open point 35). */
export function contradict(
  state: NoteState,
  { end, at, source }: ReadStamp,
  pauseOf: (attempts: number) => number = pauseAfter,
): NoteState {
  const contradictedSince = trustedTime(state.contradictedSince ?? at, at)
  const dirty = state.dirty ?? end
  // What a listing shows is confirmed by a read of the note. It does not hasten a read that waits.
  if (source !== 'read') return { ...state, contradictedSince, dirty, dueAt: state.dirty === null ? at : state.dueAt }
  const attempts = state.attempts + 1
  return { ...state, contradictedSince, dirty, attempts, dueAt: at + pauseOf(attempts) }
}

/** Whether the service's lower revision is to be accepted: eight attempts, over about eight and a half minutes, all showed one. */
export function isAcceptedInTheEnd(state: NoteState, { at, source }: ReadStamp): boolean {
  const { attempts, contradictedSince } = state
  if (source !== 'read' || contradictedSince === null || !isPatienceSpent(attempts)) return false
  return at - trustedTime(contradictedSince, at) >= PATIENCE_MS
}

/** The pause after an attempt on a note that stays hidden whatever reads show. */
export function pauseAfterRefusal(attempts: number): number {
  return isPatienceSpent(attempts) ? LONGEST_WAIT_MS : pauseAfter(attempts)
}

/** The highest revision that a read or an event has shown; `-1` before the first. */
export function highestKnown({ revision, hintedRevision }: NoteState): number {
  return Math.max(revision ?? -1, hintedRevision ?? -1)
}
