import { ERASE_WITHIN_MS, type NoteState } from '../interfaces/note-state.ts'
import type { Decision } from './decision.ts'

const WITHOUT_CONTENT = { settledRevision: null, transcriptHeld: null, summaryHeld: null } as const

/** Removes a note that a scan held back; `undefined` when it no longer does. */
export function acceptRemoval(state: NoteState, scanId: string): Decision | undefined {
  if (state.presence !== 'hidden' || state.heldByScan !== scanId) return undefined
  return {
    state: { ...state, ...WITHOUT_CONTENT, presence: 'gone', heldByScan: null },
    content: 'erase',
    announce: 'vanished',
  }
}

/**
 * Erases the content of a note that an event has hidden for an hour without a confirmation. The note is still read: if it is there
 * after all, its content comes back. `undefined` when a read, or another event, has settled it since.
 */
export function eraseUnconfirmed(state: NoteState, now: number): Decision | undefined {
  const isOverdue = state.presence === 'hidden' && state.hiddenAt !== null && now - state.hiddenAt >= ERASE_WITHIN_MS
  if (!isOverdue) return undefined
  return { state: { ...state, ...WITHOUT_CONTENT, hiddenAt: null }, content: 'erase' }
}
