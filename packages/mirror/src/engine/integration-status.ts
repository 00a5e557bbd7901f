import type { PausedService } from '../hooks.ts'
import type { IntegrationCounts, IntegrationRecord, ListedIntegration } from '../integrations/integration-store.ts'
import type { Problem } from '../integrations/problem.ts'
import { problemOf } from '../rules/problem-rule.ts'

/** The state of an integration. */
export interface IntegrationStatus
  extends Pick<IntegrationRecord, 'integration' | 'state' | 'parkedBecause' | 'failures'> {
  /**
   * When the next work is due, or the lease of a worker ends; `null` if there is none. If the service refused the key: when the key is tried again,
   * hidden notes are erased, or a worker looks at the integration again without a request, in six hours at most.
   */
  readonly dueAt: Date | null
  /**
   * The number of missing notes whose removal a full listing holds back. They are hidden until you accept their removal, or they are found again:
   * `mirrors.of(integration).status().held` lists the full listings.
   */
  readonly heldRemovals: number
  /** The webhook endpoint that `add` registered, with the latest status that was read. */
  readonly endpoint: { readonly url: string; readonly id: string | null; readonly status: string } | null
  /** The problem with which the last work ended: the copy is not brought up to date. `null` after a listing that succeeded. */
  readonly problem: Problem | null
  /** When a listing last succeeded; `null` before the first. */
  readonly syncedAt: Date | null
}

/** The number of integrations of each kind. */
export interface MirrorsStatus
  extends Pick<
    IntegrationCounts,
    | 'active'
    | 'removing'
    | 'parked'
    | 'due'
    | 'backingOff'
    | 'contradictions'
    | 'heldRemovals'
    | 'problems'
    | 'endpoints'
  > {
  /** How long the most overdue integration has been due, in milliseconds. */
  readonly overdueMs: number
  /** How long ago the listing of an integration last succeeded, for the integration where this is longest, in milliseconds; `null` if none has. */
  readonly longestWithoutSyncMs: number | null
  /** When the next integration that is not due yet becomes due. */
  readonly nextAt: Date | null
  /** The services whose integrations this process has paused. Other processes decide for themselves. */
  readonly pausedServices: readonly PausedService[]
  /** The problem of the store, while `run` of this process cannot store what it does; `null` if it can. Each process has its own. */
  readonly problem: Problem | null
}

export function statusOfIntegration({ record, heldRemovals }: ListedIntegration, now: number): IntegrationStatus {
  const { endpoint, dueAt, integration, state, parkedBecause, failures, problem, syncedAt } = record
  return {
    integration,
    state,
    parkedBecause,
    failures,
    dueAt: dueAt === null ? null : new Date(dueAt),
    heldRemovals,
    endpoint: endpoint && { url: endpoint.url, id: endpoint.id, status: endpoint.status },
    problem: problemOf(problem, now),
    syncedAt: syncedAt === undefined ? null : new Date(Math.min(syncedAt, now)),
  }
}

export function mirrorsStatusOf(
  { dueSince, nextAt, oldestSyncedAt, ...counts }: IntegrationCounts,
  ofProcess: Pick<MirrorsStatus, 'pausedServices' | 'problem'>,
  now: number,
): MirrorsStatus {
  const overdueMs = dueSince === null ? 0 : now - dueSince
  const longestWithoutSyncMs = oldestSyncedAt === null ? null : Math.max(0, now - oldestSyncedAt)
  return {
    ...counts,
    overdueMs,
    longestWithoutSyncMs,
    nextAt: nextAt === null ? null : new Date(nextAt),
    ...ofProcess,
  }
}
