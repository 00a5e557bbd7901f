import type { NoteState } from '../notes/note-state.ts'
import { areAttemptsUsedUp, backoffAfter, MAX_REFUSAL_PAUSE_MS, MIN_CONTRADICTION_MS } from './backoff.ts'
import { beganTooEarly, type ReadStamp } from './evidence.ts'
import { trustedTime } from './time.ts'

/** Records since when reads have shown a lower revision than an earlier read or event. */
export function markContradicted(state: NoteState, { at }: Pick<ReadStamp, 'at'>): NoteState {
  const contradictedSince = trustedTime(state.contradictedSince ?? at, at)
  return { ...state, contradictedSince }
}

/** Schedules another read of a note, because a read shows a lower revision than an earlier read or event (open point 35). */
export function recordContradiction(
  before: NoteState,
  { end, at, source }: ReadStamp,
  pauseOf: (attempts: number) => number = backoffAfter,
): NoteState {
  const state = markContradicted(before, { at })
  const readAfterSequence = state.readAfterSequence ?? end
  // A contradiction in a listing must be confirmed by a read of the note. A listing does not shorten the pause before that read.
  if (source !== 'read')
    return { ...state, readAfterSequence, dueAt: state.readAfterSequence === null ? at : state.dueAt }
  const attempts = state.attempts + 1
  return { ...state, readAfterSequence, attempts, dueAt: at + pauseOf(attempts) }
}

/** Whether to accept the service's lower revision: eight reads over about eight and a half minutes all showed it. */
export function isAcceptedAfterRetries(state: NoteState, { at, source }: ReadStamp): boolean {
  const { attempts, contradictedSince } = state
  if (source !== 'read' || contradictedSince === null || !areAttemptsUsedUp(attempts)) return false
  return at - trustedTime(contradictedSince, at) >= MIN_CONTRADICTION_MS
}

/** The pause after a read at a lower revision than that of an announced deletion. */
export function backoffAfterRefusal(attempts: number): number {
  return areAttemptsUsedUp(attempts) ? MAX_REFUSAL_PAUSE_MS : backoffAfter(attempts)
}

/** The highest revision that a read or an event named; `-1` before the first. */
export function highestKnownRevision({ revision, hintedRevision }: NoteState): number {
  return Math.max(revision ?? -1, hintedRevision ?? -1)
}

/** Clears `readAfterSequence` if the read began after it was set, unless the answer lags behind an event. */
export function clearDirty(before: NoteState, revision: number, stamp: ReadStamp): NoteState {
  const state = revision < highestKnownRevision(before) ? before : { ...before, contradictedSince: null }
  if (state.readAfterSequence === null || beganTooEarly(state, stamp)) return state
  const lags = (state.hintedRevision ?? 0) > revision
  return lags && !isAcceptedAfterRetries(state, stamp) ? recordContradiction(state, stamp) : withoutDirty(state)
}

export function withoutDirty(state: NoteState): NoteState {
  return { ...state, readAfterSequence: null, hintedRevision: null, attempts: 0, contradictedSince: null }
}
