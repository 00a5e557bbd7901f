import { ERASE_WITHIN_MS, isHiddenSince, type NoteState } from '../interfaces/note-state.ts'
import type { Decision } from './decision.ts'

const WITHOUT_CONTENT = { settledRevision: null, transcriptHeld: null, summaryHeld: null } as const

/** Removes a note whose removal a scan holds back; `undefined` if the scan no longer holds it back. */
export function acceptRemoval(state: NoteState, scanId: string): Decision | undefined {
  if (state.presence !== 'hidden' || state.heldByScan !== scanId) return undefined
  return {
    state: { ...state, ...WITHOUT_CONTENT, presence: 'gone', heldByScan: null },
    content: 'erase',
    announce: 'vanished',
  }
}

/** Erases the content of a note that an event hid an hour ago, if no read has confirmed or refuted the deletion since. */
export function eraseUnconfirmed(state: NoteState, now: number): Decision | undefined {
  const isOverdue = state.presence === 'hidden' && isHiddenSince(state.hiddenAt, now - ERASE_WITHIN_MS)
  if (!isOverdue) return undefined
  return { state: { ...state, ...WITHOUT_CONTENT, hiddenAt: null }, content: 'erase' }
}
