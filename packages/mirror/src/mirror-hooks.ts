/** Functions that are told what a mirror does. What they throw is ignored. */
export interface MirrorHooks {
  /** Tells how far a listing or the reading of content is. */
  readonly onProgress?: ((progress: ProgressNotice) => void) | undefined
  /** Tells of an error that the mirror lives with: it tries again, later. It never holds a key or what a note says. */
  readonly onProblem?: ((problem: ProblemNotice) => void) | undefined
  /** Tells that a scan found more notes missing than it may remove without being told. */
  readonly onRemovalsHeld?: ((notice: RemovalsHeldNotice) => void) | undefined
}

/** How far the mirror is. */
export interface ProgressNotice {
  readonly phase: 'backfill' | 'poll' | 'scan' | 'confirming' | 'content'
  /** How many notes were listed, confirmed or read in this phase. */
  readonly done: number
  /** How many there are, where that is known. */
  readonly total?: number | undefined
}

/** An error that the mirror lives with. */
export interface ProblemNotice {
  readonly error: unknown
  /** The note that it was about. */
  readonly noteId?: string | undefined
}

/** So many notes are missing that they were hidden, and are kept until `mirror.acceptRemovals(scanId)`. */
export interface RemovalsHeldNotice {
  readonly scanId: string
  readonly missing: number
  readonly live: number
}

export const HOOKS: readonly (keyof MirrorHooks)[] = ['onProgress', 'onProblem', 'onRemovalsHeld']

/** Calls a hook. Whatever it does, the mirror goes on. */
export function tell<Notice>(hook: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    hook?.(notice)
  } catch {
    // A hook only watches.
  }
}
