import type { StoredProblem } from '../integrations/problem.ts'
import type { PollProgress } from '../integrations/progress.ts'

const SILENT_FOR_MS = 60 * 60_000
const MIN_UNANNOUNCED = 3

/** Whether polls have found several changes that no event announced since the last event arrived, which is an hour ago or more. */
export function isSilent(
  { unannounced, heardAt }: Pick<PollProgress, 'unannounced' | 'heardAt'>,
  now: number,
): boolean {
  return heardAt !== null && unannounced >= MIN_UNANNOUNCED && now - heardAt >= SILENT_FOR_MS
}

/** The silence after a listing, given what was stored before; `undefined` if there is none. */
export function silenceAfter(
  known: StoredProblem | undefined,
  poll: PollProgress,
  now: number,
): StoredProblem | undefined {
  return isSilent(poll, now) ? (known ?? { code: 'silent', since: now, isLogged: true }) : undefined
}
