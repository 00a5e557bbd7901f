import { errorFactsOf } from '@notewire/protocol'
import type { Problem, StoredProblem } from '../integrations/problem.ts'

/** What a piece of work changed: a problem began, has another code, or is over. */
export interface ProblemChange {
  readonly kind: 'begun' | 'changed' | 'over'
  /** The problem that began or changed, or that is over. */
  readonly problem: StoredProblem
}

/** The problem after a piece of work. */
export interface ProblemStep {
  readonly problem: StoredProblem | undefined
  /** Whether it must be stored. */
  readonly isChanged: boolean
  /** What to log; `undefined` if nothing has changed since it was logged last. */
  readonly change: ProblemChange | undefined
}

/**
 * The problem after work that ended with an error of this code, or without one (`undefined`). A problem begins for the log when it is logged first:
 * a call that rejects stores it, and logs nothing.
 */
export function stepAfter(
  before: StoredProblem | undefined,
  code: string | undefined,
  isLogged: boolean,
  now: number,
): ProblemStep {
  const logged = before?.isLogged === true ? before : undefined
  if (code === undefined) {
    const change = logged && ({ kind: 'over', problem: logged } as const)
    return { problem: undefined, isChanged: before !== undefined, change }
  }
  const isSame = before?.code === code && (!isLogged || logged !== undefined)
  if (isSame) return { problem: before, isChanged: false, change: undefined }
  const since = Math.min(before?.since ?? now, now)
  // If the caller does not log the change of a logged problem, only its end is logged.
  const problem = { code, since, ...(isLogged || logged !== undefined ? { isLogged: true } : {}) }
  const kind = logged === undefined ? 'begun' : 'changed'
  return { problem, isChanged: true, change: isLogged ? { kind, problem } : undefined }
}

/** A stored problem, for a status. A clock that was ahead may have written a time in the future. */
export function problemOf(stored: StoredProblem | undefined, now: number): Problem | null {
  return stored === undefined ? null : { code: stored.code, since: new Date(Math.min(stored.since, now)) }
}

/** The stable code of an error, or its name if it has none. */
export function codeOf(error: unknown): string {
  const { code, name } = errorFactsOf(error)
  return code ?? name
}
