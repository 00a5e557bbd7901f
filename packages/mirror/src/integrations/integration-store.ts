import type { StoredProblem } from './problem.ts'
import type { CopyState } from './progress.ts'

/**
 * The integrations of a store, one small row each. The store only reads and writes rows: the rules are in `rules/schedule-rule.ts`.
 * `mirrorStoreChecks` test this contract.
 *
 * Times are milliseconds since the Unix epoch, by the clock of the store. `now` is its present.
 */
export interface IntegrationRows {
  /** Lists integrations by id, without those of `createMirror` unless it is the one that is named. */
  list(request: ListRequest): Promise<readonly ListedIntegration[]>
  /**
   * Writes an integration unless another process has written it since, or it got a hint: `'conflict'`. `'shared'` if another integration has the
   * same `keyPrint`; then nothing is written.
   *
   * @param next  `'deleted'` deletes at most `ERASE_BATCH_SIZE` of its notes and returns `'more'`. If no note is left, it deletes everything of
   * the integration.
   * @param read  the integration as it was read; `undefined` to insert it
   */
  write(
    next: IntegrationRecord | 'deleted',
    read: IntegrationRecord | undefined,
  ): Promise<'written' | 'conflict' | 'shared' | 'more'>
  /**
   * Takes the most urgent due integration that no worker has: by rank, then the most overdue. Integrations of `createMirror` (`isSingle`) are taken
   * only with `includesSingle`. A due time that is too far ahead, or a lease that ends
   * more than twice its length ahead, was written by a wrong clock, and does not count.
   *
   * @returns the record with the worker's fencing token and lease, and the state of the copy; `undefined` if none is due
   */
  take(request: TakeRequest): Promise<TakenIntegration | undefined>
  /** Finds the active integration of `createMirrors` whose hint has waited longest for the worker that has it, and since `waitingSince` or earlier. Writes nothing. */
  findHinted(request: HintedRequest): Promise<TakenIntegration | undefined>
  /** Counts the integrations that `add` has made. */
  count(now: number): Promise<IntegrationCounts>
}

/** `removing` integrations cannot be read, and are deleted when all their notes are erased. */
export type IntegrationState = 'active' | 'parked' | 'removing'

/**
 * - `key_changed`: `connect` returns another key than the one that the notes were listed with.
 * - `key_shared`: another integration uses the key.
 * - `key_refused`: the service answered 401 or 403.
 */
export type ParkedBecause = 'key_changed' | 'key_shared' | 'key_refused'

/** How many notes are erased in one commit. Removing a note from a text index takes tens of milliseconds, and blocks other writers. */
export const ERASE_BATCH_SIZE = 10

/** The priority of work: hints first, full listings last. */
export const RANKS = { hint: 0, poll: 1, backfill: 2, fullListing: 3 } as const

/** A stored integration. */
export interface IntegrationRecord extends NextWork {
  readonly integration: string
  /** The id of this copy. An integration that was removed and added again has another generation. */
  readonly generation: string
  /** How often the integration was written, except by hints. */
  readonly version: number
  /** The number of hints so far. */
  readonly hints: number
  /** The fencing token: how often the integration was taken or resumed. */
  readonly token: number
  /** The end of the lease of the worker that has the integration; `null` if none has it. */
  readonly leaseUntil: number | null
  /** The name of the worker that took the integration last, for people. Absent before the first. Version 0.1.0 stored none. */
  readonly worker?: string | undefined
  readonly keyPrint: string | null
  /** Set if `createMirror` made the row: the workers of `createMirrors` leave it alone until `add`. */
  readonly isSingle?: true | undefined
}

/** An integration that a worker has taken or found, and the state of its copy at that time. */
export interface TakenIntegration {
  readonly record: IntegrationRecord
  readonly copy: CopyState
}

/** The state and schedule that a worker writes when it has finished. */
export interface NextWork {
  readonly state: IntegrationState
  readonly parkedBecause: ParkedBecause | null
  /** When the next work is due; `null` if there is none. */
  readonly dueAt: number | null
  readonly rank: number
  /** The number of consecutive failures. If the integration is parked: the number of refused probes. */
  readonly failures: number
  /**
   * No request is sent before this time, not even for a hint. If the integration is parked: when its key is probed; `null` if it is not. If the
   * integration is being removed: its content is erased, and its removals are kept for its consumers until this time.
   */
  readonly pausedUntil: number | null
  /** The length of the pause until `pausedUntil`, in milliseconds, to detect that a wrong clock wrote it. Version 0.1.0 stored none. */
  readonly pauseMs?: number | undefined
  /** The time between two polls; `null` before the first. */
  readonly pollEveryMs: number | null
  readonly endpoint: EndpointRecord | null
  /** The problem that prevents the copy from being brought up to date. Absent if there is none. */
  readonly problem?: StoredProblem | undefined
  /** Set while polls find changes that no event announced, if `add` has registered no endpoint. */
  readonly silence?: StoredProblem | undefined
  /** When a listing last succeeded, by the clock of the worker. Absent before the first. Version 0.1.0 stored none. */
  readonly syncedAt?: number | undefined
  /** The next listing is not requested before this time, because the last one failed. Absent if it succeeded. */
  readonly listAt?: number | undefined
  /** When a poll was asked for that has not succeeded since. Absent if none was. */
  readonly pollAskedAt?: number | undefined
  /** When a full listing was asked for that has not begun since. Absent if none was. */
  readonly fullListingAskedAt?: number | undefined
}

/** The webhook endpoint of an integration. */
export interface EndpointRecord {
  readonly url: string
  /** `null` if it could not be registered. */
  readonly id: string | null
  /**
   * The latest status that the service returned; `silent` if it is active, but no event announced the changes that polls have
   * found; `forbidden` if the key lacks the scope `webhooks:manage`, `missing` if the endpoint no longer exists, `unsupported` if the service has no
   * operation to read it.
   */
  readonly status: string
  /** When to read its status next. */
  readonly checkAt: number
  /** The number of consecutive activations after which it did not become active. */
  readonly repairs: number
  /** When the last event had arrived, as of the latest check; `null` before the first. */
  readonly heardAt: number | null
  /** Whether it was logged that no events arrive. */
  readonly isReported?: boolean | undefined
}

/** The copy that a commit is for, and the worker's fencing token. Without `token`, any worker may write. */
export interface Fence {
  readonly generation: string
  readonly token?: number | undefined
}

interface TakeRequest {
  readonly now: number
  readonly until: number
  readonly maxRank: number
  /** The name of the worker, for people. */
  readonly worker: string
  readonly integration?: string | undefined
  /** Whether to take the integration even if it is not due. */
  readonly isForced?: boolean | undefined
  /** Whether to take an integration of `createMirror`, too. */
  readonly includesSingle?: boolean | undefined
  /** Integrations not to take. A store on a server may ignore it, because there the clocks of workers do not count. */
  readonly except?: readonly string[] | undefined
}

interface HintedRequest {
  readonly now: number
  readonly waitingSince: number
  /** Integrations not to return. */
  readonly except: readonly string[]
}

interface ListRequest {
  readonly state?: IntegrationState | undefined
  readonly integration?: string | undefined
  readonly hasHeldRemovals?: boolean | undefined
  readonly after: string
  readonly limit: number
}

export interface ListedIntegration {
  readonly record: IntegrationRecord
  /** The number of missing notes whose removal a full listing holds back. */
  readonly heldRemovals: number
}

/** Result of `count`. */
export interface IntegrationCounts {
  readonly active: number
  readonly removing: number
  readonly parked: Readonly<Record<ParkedBecause, number>>
  /** Due, and no worker has them. */
  readonly due: number
  /** When the most overdue integration became due. */
  readonly dueSince: number | null
  /** When the next integration that is not due yet becomes due. */
  readonly nextAt: number | null
  /** Active, with a failure in the last slice. */
  readonly backingOff: number
  /**
   * The number of notes of all integrations that the service returns at a lower revision than before, or again after an announced deletion.
   * `mirrors.of(id).status()` has the number for one integration.
   */
  readonly contradictions: number
  /** The number of integrations with missing notes whose removal a full listing holds back. */
  readonly heldRemovals: number
  /** The number of integrations that are not brought up to date, by the code of their problem: the most frequent 100 codes. */
  readonly problems: Readonly<Record<string, number>>
  /** The number of endpoints that are not active, by status: the most frequent 100. */
  readonly endpoints: Readonly<Record<string, number>>
  /** The earliest time at which a listing of an integration last succeeded; `null` if none has. */
  readonly oldestSyncedAt: number | null
}

/** How many codes and statuses `count` returns. */
export const MAX_COUNTED = 100

/** The longest time before an integration is due again, in milliseconds. A later time was written by a clock that was wrong. */
export const MAX_WAIT_MS = 6 * 60 * 60_000

/** The longest pause, in milliseconds. During a pause, an integration is due several times, and sends no request. */
export const MAX_PAUSE_MS = 24 * 60 * 60_000
