import { callHook } from '@notewire/protocol'
import type { ParkedBecause } from './integrations/integration-store.ts'

export { callHook }

/** Functions that report what mirrors do. Their errors are ignored. */
export interface MirrorHooks {
  /** A listing applied a page, or a note was read. */
  readonly onProgress?: ((progress: ProgressNotice) => void) | undefined
  /** An error after which the mirror retries later. It never contains a key or note content. */
  readonly onProblem?: ((problem: ProblemNotice) => void) | undefined
  /** A full listing missed so many notes that it removes none of them before `acceptRemovals`. */
  readonly onRemovalsHeld?: ((notice: RemovalsHeldNotice) => void) | undefined
  /** A read showed a note at a lower revision than before, or again after its deletion was announced (`status().contradictions`). */
  readonly onContradiction?: ((notice: ContradictionNotice) => void) | undefined
  /**
   * One of many integrations was parked. If the service refused its key, one request tries the key again after an hour, then daily. Otherwise it
   * sends no request before `mirrors.resume(id)` or `mirrors.add(id)`. Called once.
   */
  readonly onParked?: ((notice: ParkedNotice) => void) | undefined
  /** The service has accepted the key of a parked integration again: it is active. Not called after `mirrors.resume(id)` and `mirrors.add(id)`. */
  readonly onResumed?: ((notice: OfIntegration) => void) | undefined
  /**
   * A service refuses the requests of many integrations, so this process pauses all integrations of its `baseUrl` for up to a minute. Meanwhile, one
   * integration every ten seconds tries whether the service answers, which ends the pause. `error` is the latest.
   */
  readonly onServicePaused?: ((notice: PausedService & { readonly error: unknown }) => void) | undefined
  /** `add`, `remove`, `resume`, `adoptKey` or `acceptRemovals` has taken effect. The call waits for this hook. */
  readonly onAudit?: ((notice: AuditNotice) => unknown) | undefined
  /** Wraps a part of the work on an integration. */
  readonly aroundWork?: AroundWork | undefined
}

interface OfIntegration {
  readonly integration: string
}

/** Progress of a listing, or of the reading of notes. */
export interface ProgressNotice extends OfIntegration {
  readonly phase: 'backfill' | 'poll' | 'full-listing' | 'confirming' | 'content'
  /** How many notes were listed, confirmed or read in this phase. */
  readonly done: number
  /** The total number, if it is known. */
  readonly total?: number | undefined
  /** How many pages in a row had no new note, if the latest had none and more follow. The listing is slowed down after twenty. */
  readonly idlePages?: number | undefined
}

/** An error after which the mirror retries. */
export interface ProblemNotice {
  /** `undefined` for an error of the store of many integrations. */
  readonly integration: string | undefined
  readonly error: unknown
  /** The note that could not be read, if the error concerns one note. */
  readonly noteId?: string | undefined
  /** Whether an earlier attempt for this note has failed too. */
  readonly isRepeated?: boolean | undefined
}

/** A read that contradicts earlier reads or events of a note. */
export interface ContradictionNotice extends OfIntegration {
  readonly noteId: string
  /** Whether the read before contradicted them too. */
  readonly isRepeated: boolean
}

/** Notes that are hidden, but kept until `mirror.acceptRemovals(fullListingId)`. */
export interface RemovalsHeldNotice extends OfIntegration {
  readonly fullListingId: string
  readonly missing: number
  readonly live: number
}

/** An integration that sends no requests before its key is tried again. */
export interface ParkedNotice extends OfIntegration {
  readonly because: ParkedBecause
}

/** A service to which this process sends no requests, except for probes. */
export interface PausedService {
  readonly baseUrl: string
  /** The end of the pause, at the latest. */
  readonly until: Date
}

/** A notice about a copy whose integration is known. */
type About<Notice> = Omit<Notice, 'integration'>

/** The hooks of the work on one copy. */
export interface CopyHooks {
  readonly onProgress: (progress: About<ProgressNotice>) => void
  readonly onProblem: (problem: About<ProblemNotice>) => void
  readonly onRemovalsHeld: (notice: About<RemovalsHeldNotice>) => void
  readonly onContradiction: (notice: About<ContradictionNotice>) => void
  readonly onAudit: MirrorHooks['onAudit']
}

/** Makes the hooks of one copy from those of the user. */
export function copyHooks(hooks: MirrorHooks, integration: string): CopyHooks {
  return {
    onProgress: (progress) => callHook(hooks.onProgress, { ...progress, integration }),
    onProblem: (problem) => callHook(hooks.onProblem, { ...problem, integration }),
    onRemovalsHeld: (notice) => callHook(hooks.onRemovalsHeld, { ...notice, integration }),
    onContradiction: (notice) => callHook(hooks.onContradiction, { ...notice, integration }),
    onAudit: hooks.onAudit,
  }
}

/** A decision of a person or a program, for an audit trail. It never contains a key. */
export type AuditNotice = {
  readonly integration: string
  /** When the decision had taken effect, by the mirror's clock. */
  readonly at: Date
} & (
  | { readonly act: 'add' | 'remove' | 'resume' | 'adoptKey' }
  /** `removed`: how many notes were removed. A call that failed may have removed only some of the notes. */
  | { readonly act: 'acceptRemovals'; readonly fullListingId: string; readonly removed: number }
)

/** Wraps work, for instance in a span. Call `work` immediately; it never rejects. The hook can neither prevent the work nor change its result. */
export type AroundWork = (work: () => Promise<WorkEnd>, about: { readonly integration: string }) => unknown

/** The outcome of a part of the work. */
export interface WorkEnd {
  /** `undefined` if it succeeded. */
  readonly error: unknown
}

export const HOOKS: Readonly<Record<keyof MirrorHooks, true>> = {
  onProgress: true,
  onProblem: true,
  onRemovalsHeld: true,
  onContradiction: true,
  onParked: true,
  onResumed: true,
  onServicePaused: true,
  onAudit: true,
  aroundWork: true,
}

/** Runs work inside the hook that wraps it. */
export function workInside<Result>(
  hook: AroundWork | undefined,
  integration: string,
  work: () => Promise<Result>,
  errorIn: (result: Result) => unknown = () => undefined,
): Promise<Result> {
  let working: Promise<Result> | undefined
  const begin = () => (working ??= work())
  const wrapped = async (): Promise<WorkEnd> => ({ error: await begin().then(errorIn, (error) => error) })
  if (hook !== undefined) callHook(() => hook(wrapped, { integration }), undefined)
  return begin()
}

/** Calls the hook `onAudit` and waits for it. The act has taken effect already, so an error of the hook is passed to `onProblem`. */
export async function audit(
  { onAudit, onProblem }: Pick<CopyHooks, 'onAudit' | 'onProblem'>,
  notice: AuditNotice,
): Promise<void> {
  try {
    await onAudit?.(notice)
  } catch (error) {
    onProblem({ error })
  }
}
