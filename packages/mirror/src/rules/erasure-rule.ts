import type { Decision } from './decision.ts'
import type { NoteState } from './note-state.ts'

/** How long the content of a note that an event called gone is kept while no read can confirm it, in milliseconds. */
export const ERASE_WITHIN_MS = 60 * 60_000

/**
 * Erases what an event has hidden for too long to wait for a confirmation. The note stays to be read: when it is there after
 * all, its content comes back with it. `undefined` when a read, or another event, has settled it since.
 */
export function eraseUnconfirmed(state: NoteState, now: number): Decision | undefined {
  const isOverdue = state.presence === 'hidden' && state.hiddenAt !== null && now - state.hiddenAt >= ERASE_WITHIN_MS
  if (!isOverdue) return undefined
  return {
    state: { ...state, hiddenAt: null, settledRevision: null, transcriptHeld: null, summaryHeld: null },
    content: 'erase',
  }
}
