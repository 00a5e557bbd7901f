/** Functions that a mirror calls to report what it does. Their errors are ignored. */
export interface MirrorHooks {
  /** A listing applied a page, or a note was read. */
  readonly onProgress?: ((progress: ProgressNotice) => void) | undefined
  /** An error after which the mirror tries again later. It never holds a key or note content. */
  readonly onProblem?: ((problem: ProblemNotice) => void) | undefined
  /** A scan found so many notes missing that it removes none of them before `acceptRemovals`. */
  readonly onRemovalsHeld?: ((notice: RemovalsHeldNotice) => void) | undefined
  /** A read showed a note at a lower revision than before, or again after its deletion was announced (`status().contradictions`). */
  readonly onContradiction?: ((notice: ContradictionNotice) => void) | undefined
  /** `adoptKey` or `acceptRemovals` has taken effect. The call waits for this hook. */
  readonly onAudit?: ((notice: AuditNotice) => unknown) | undefined
  /** Wraps a sync, or the reading of due notes. */
  readonly aroundWork?: AroundWork | undefined
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

/** A read that contradicts what is known of its note. */
export interface ContradictionNotice {
  readonly noteId: string
}

/** What a person or a program decided, for an audit trail. It never holds a key. */
export type AuditNotice = {
  readonly integration: string
  /** When it had taken effect, by the clock of the mirror. */
  readonly at: Date
} & (
  | { readonly act: 'add' | 'remove' | 'resume' | 'adoptKey' }
  /** `removed`: how many notes were removed. If the call failed on the way, it removed the others not. */
  | { readonly act: 'acceptRemovals'; readonly scanId: string; readonly removed: number }
)

/**
 * Wraps work, for instance in a span. Call `work` at once; it never rejects. The hook can neither prevent the work nor change what comes of
 * it.
 */
export type AroundWork = (work: () => Promise<WorkEnd>, about: { readonly integration: string }) => unknown

/** How a part of the work ended. */
export interface WorkEnd {
  /** `undefined` if it succeeded. */
  readonly error: unknown
}

export const HOOKS: readonly (keyof MirrorHooks)[] = [
  'onProgress',
  'onProblem',
  'onRemovalsHeld',
  'onContradiction',
  'onAudit',
  'aroundWork',
]

/** Calls a hook, and ignores its errors. */
export function callHook<Notice>(hook: ((notice: Notice) => unknown) | undefined, notice: Notice): void {
  try {
    // The rejection of an asynchronous hook would otherwise be unhandled.
    Promise.resolve(hook?.(notice)).catch(() => undefined)
  } catch {
    // A hook must not stop the mirror.
  }
}

/** Works inside the hook that wraps it. */
export function workInside<Result>(
  hook: AroundWork | undefined,
  integration: string,
  work: () => Promise<Result>,
  errorIn: (result: Result) => unknown = () => undefined,
): Promise<Result> {
  let working: Promise<Result> | undefined
  const begin = () => (working ??= work())
  const endOfWork = async (): Promise<WorkEnd> => ({ error: await begin().then(errorIn, (error) => error) })
  if (hook !== undefined) callHook(() => hook(endOfWork, { integration }), undefined)
  return begin()
}

/** Waits for the hook `onAudit`. The act has taken effect: an error of the hook goes to `onProblem`. */
export async function audit(
  { onAudit, onProblem }: Pick<MirrorHooks, 'onAudit' | 'onProblem'>,
  notice: AuditNotice,
): Promise<void> {
  try {
    await onAudit?.(notice)
  } catch (error) {
    callHook(onProblem, { error })
  }
}
