/** Notes whose handlers are slow, in milliseconds, so that something can happen during the handler. */
const SLOW_NOTES = {
  /** The handler takes longer than the deadline of the service. */
  note_overdue: 9_000,
  /** The handler takes longer than a lease without renewal. */
  note_outlasting: 22_000,
  /** The worker is paused with SIGSTOP until another worker has taken over. */
  note_paused: 4_000,
  /** The worker is killed with SIGKILL. */
  note_abandoned: 2_500,
  /** Fifty events arrive at once. */
  note_crowded: 100,
} as const

export type SlowNote = keyof typeof SLOW_NOTES

/** The duration of the handler for a slow note. */
export function handlerMs(noteId: string): number | undefined {
  return isSlowNote(noteId) ? SLOW_NOTES[noteId] : undefined
}

export function isSlowNote(noteId: string): noteId is SlowNote {
  return Object.hasOwn(SLOW_NOTES, noteId)
}
