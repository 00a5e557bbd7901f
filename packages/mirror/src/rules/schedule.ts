import type { NoteState } from './note-state.ts'

/** Whether there is something to read for a note. */
export function hasWork({ dirty, presence, settledRevision }: NoteState): boolean {
  return dirty !== null || (presence === 'live' && settledRevision === null)
}

/** Sees to it that a note is due exactly when there is work to do on it. */
export function scheduled(state: NoteState, now: number): NoteState {
  return { ...state, dueAt: hasWork(state) ? (state.dueAt ?? now) : null }
}
