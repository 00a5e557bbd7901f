/** Functions that a mirror calls to report what it does. Their errors are ignored. */
export interface MirrorHooks {
  /** A listing applied a page, or a note was read. */
  readonly onProgress?: ((progress: ProgressNotice) => void) | undefined
  /** An error after which the mirror tries again later. It never holds a key or note content. */
  readonly onProblem?: ((problem: ProblemNotice) => void) | undefined
  /** A scan found so many notes missing that it removes none of them before `acceptRemovals`. */
  readonly onRemovalsHeld?: ((notice: RemovalsHeldNotice) => void) | undefined
}

/** How far the mirror is. */
export interface ProgressNotice {
  readonly phase: 'backfill' | 'poll' | 'scan' | 'confirming' | 'content'
  /** How many notes were listed, confirmed or read in this phase. */
  readonly done: number
  /** How many there are, if that is known. */
  readonly total?: number | undefined
}

/** An error after which the mirror tries again. */
export interface ProblemNotice {
  readonly error: unknown
  /** The note that it was about, if any. */
  readonly noteId?: string | undefined
}

/** Notes that are hidden and kept until `mirror.acceptRemovals(scanId)`. */
export interface RemovalsHeldNotice {
  readonly scanId: string
  readonly missing: number
  readonly live: number
}

export const HOOKS: readonly (keyof MirrorHooks)[] = ['onProgress', 'onProblem', 'onRemovalsHeld']

/** Calls a hook, and ignores its errors. */
export function callHook<Notice>(hook: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    hook?.(notice)
  } catch {
    // A hook must not stop the mirror.
  }
}
