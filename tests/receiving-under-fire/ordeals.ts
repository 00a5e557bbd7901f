/** Notes about which a handler takes its time, in milliseconds, because something is to happen meanwhile. */
const ORDEALS = {
  /** Longer than the service is answered in. */
  note_overdue: 9_000,
  /** Longer than a lease lasts that is not renewed. */
  note_outlasting: 22_000,
  /** The worker is stopped by SIGSTOP until another has taken over, and goes on then. */
  note_paused: 4_000,
  /** The worker is ended by SIGKILL. */
  note_abandoned: 2_500,
  /** Fifty events arrive at once. */
  note_crowded: 100,
} as const

export type Ordeal = keyof typeof ORDEALS

/** How long a handler takes about a note that is an ordeal. */
export function ordealMs(noteId: string): number | undefined {
  return isOrdeal(noteId) ? ORDEALS[noteId] : undefined
}

export function isOrdeal(noteId: string): noteId is Ordeal {
  return Object.hasOwn(ORDEALS, noteId)
}
