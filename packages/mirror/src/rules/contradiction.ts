import type { NoteState } from '../interfaces/note-state.ts'
import { isPatienceSpent, LONGEST_WAIT_MS, PATIENCE_MS, pauseAfter } from './backoff.ts'
import type { ReadStamp } from './decision.ts'
import { trustedTime } from './time.ts'

/** Has a note read again later, because a read shows a lower revision than an earlier read or event (open point 35). */
export function contradict(
  state: NoteState,
  { end, at, source }: ReadStamp,
  pauseOf: (attempts: number) => number = pauseAfter,
): NoteState {
  const contradictedSince = trustedTime(state.contradictedSince ?? at, at)
  const dirty = state.dirty ?? end
  // A read of the note must confirm the listing. A listing does not shorten the pause before that read.
  if (source !== 'read') return { ...state, contradictedSince, dirty, dueAt: state.dirty === null ? at : state.dueAt }
  const attempts = state.attempts + 1
  return { ...state, contradictedSince, dirty, attempts, dueAt: at + pauseOf(attempts) }
}

/** Whether to accept the service's lower revision: eight attempts over about eight and a half minutes all showed one. */
export function isAcceptedInTheEnd(state: NoteState, { at, source }: ReadStamp): boolean {
  const { attempts, contradictedSince } = state
  if (source !== 'read' || contradictedSince === null || !isPatienceSpent(attempts)) return false
  return at - trustedTime(contradictedSince, at) >= PATIENCE_MS
}

/** The pause after a read at a lower revision than that of an announced deletion. */
export function pauseAfterRefusal(attempts: number): number {
  return isPatienceSpent(attempts) ? LONGEST_WAIT_MS : pauseAfter(attempts)
}

/** The highest revision that a read or an event named; `-1` before the first. */
export function highestKnown({ revision, hintedRevision }: NoteState): number {
  return Math.max(revision ?? -1, hintedRevision ?? -1)
}
