import type { Decision } from './decision.ts'
import type { NoteState } from './note-state.ts'

/** Removes a note that a scan held back; `undefined` when it no longer does. */
export function acceptRemoval(state: NoteState, scanId: string): Decision | undefined {
  if (state.presence !== 'hidden' || state.heldByScan !== scanId) return undefined
  return {
    state: {
      ...state,
      presence: 'gone',
      heldByScan: null,
      settledRevision: null,
      transcriptHeld: null,
      summaryHeld: null,
    },
    content: 'erase',
    announce: 'vanished',
  }
}
