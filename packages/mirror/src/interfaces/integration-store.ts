import { ERASE_WITHIN_MS } from './note-state.ts'
import type { CopyState } from './progress.ts'

/**
 * The integrations of `createMirrors`, one small row each. `dueAt` is the only schedule: an integration that is not due costs nothing.
 * `mirrorStoreChecks` of `@notewire/mirror/testing` test this contract.
 *
 * A worker takes an integration with a lease, and gets a fencing token. Commits with `MirrorCommit.fence` and operations with a `Fence` write
 * nothing after another worker has taken the integration, or after it was removed.
 *
 * Times are milliseconds since the Unix epoch, by the caller's clock, which may be wrong. `now` is its present time. A store on a server keeps its
 * own time: it stores `time - now` from its present, and returns times by the clock of the caller, except from `get` without `now`, `put` and `list`.
 * A clock may also be set back. Therefore an integration is due, too, if its lease ends more than twice its length ahead, or if it would be due more
 * than `MAX_WAIT_MS` ahead.
 */
export interface IntegrationStore {
  /**
   * Adds an integration, due after `delayMs`. An existing integration is not changed, unless it is being removed and waits for its consumers
   * (`pausedUntil`): it then becomes another copy, with the same consumers. The notes of the earlier copy are erased already.
   */
  put(integration: string, generation: string, now: number, delayMs?: number): Promise<IntegrationRecord>
  get(integration: string, now?: number): Promise<IntegrationRecord | undefined>
  /**
   * Takes the most urgent due integration: by rank, then the most overdue. It becomes due again at `until`, in case the worker dies.
   *
   * @returns the record with the worker's fencing token, and the state of the copy; `undefined` if none is due
   */
  take(request: TakeRequest): Promise<TakenIntegration | undefined>
  /** Renews the lease; `false` if it is lost. */
  renew(integration: string, fence: Fence, lease: Pick<TakeRequest, 'now' | 'until'>): Promise<boolean>
  /**
   * Ends the lease and schedules the next work. If a hint has arrived since the integration was taken, the integration is due now or after its
   * pause, and `next.dueAt` is ignored.
   *
   * @param seen  `hints` of the record that was taken, and the current time
   * @returns `false` if the lease is lost, and nothing was written
   */
  finish(
    integration: string,
    fence: Fence,
    next: NextWork,
    seen: { readonly hints: number; readonly now: number },
  ): Promise<boolean>
  /** Makes an active integration due now and ends its pause. While a worker has it, it becomes due when the worker finishes. */
  wake(integration: string, now: number): Promise<void>
  /**
   * Records the API key that an integration uses.
   *
   * @param print  identifies the key and its service
   * @returns `'shared'` if another integration uses the key
   */
  claimKey(integration: string, fence: Fence, print: string): Promise<'claimed' | 'shared' | 'fenced'>
  /** Makes a parked integration active and due, and ends the lease of a worker that probes its key; `false` if it is not parked. */
  resume(integration: string, now: number): Promise<boolean>
  /**
   * Begins the removal: assigns another generation, which ends every lease, and makes the integration due now. `false` if it does not exist.
   */
  remove(integration: string, generation: string, now: number): Promise<boolean>
  /** Lists the consumers of an integration by name. */
  listConsumers(integration: string): Promise<readonly string[]>
  /** Deletes at most `limit` notes of an integration that is being removed. The call that deletes the last note also deletes the integration. */
  erase(integration: string, fence: Fence, limit: number): Promise<'more' | 'done' | 'fenced'>
  /** Lists integrations by id. */
  list(request: ListRequest): Promise<readonly ListedIntegration[]>
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

/** The priority of work: hints first, full scans last. */
export const RANKS = { hint: 0, poll: 1, backfill: 2, scan: 3 } as const

/** A stored integration. */
export interface IntegrationRecord extends NextWork {
  readonly integration: string
  /** The id of this copy. An integration that was removed and added again has another generation. */
  readonly generation: string
  /** The number of hints so far. */
  readonly hints: number
  /** The fencing token: how often the integration was taken or resumed. */
  readonly token: number
  /** Identifies the key and its service. */
  readonly keyPrint: string | null
}

/** An integration that a worker has taken, and the state of its copy at that time. */
export interface TakenIntegration {
  readonly record: IntegrationRecord
  readonly copy: CopyState
}

/** The state and schedule that a worker writes when it has finished. */
export interface NextWork {
  readonly state: IntegrationState
  readonly parkedBecause: ParkedBecause | null
  /** When the next work is due; `null` if there is none. While a worker has the integration, the end of its lease. */
  readonly dueAt: number | null
  /** One of `RANKS`. */
  readonly rank: number
  /** The number of consecutive failures. If the integration is parked: the number of refused probes. */
  readonly failures: number
  /**
   * No request is sent before this time, not even for a hint. If the integration is parked: when its key is probed; `null` if it is not. If the integration is being removed: its content is erased, and its removals are
   * kept for its consumers until this time.
   */
  readonly pausedUntil: number | null
  /** The time between two polls; `null` before the first. */
  readonly pollEveryMs: number | null
  readonly endpoint: EndpointRecord | null
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
}

/** The copy that a commit is for, and the worker's fencing token. Without `token`, any worker may write. */
export interface Fence {
  readonly generation: string
  readonly token?: number | undefined
}

/** Parameters of `take`. */
export interface TakeRequest {
  readonly now: number
  /** The end of the lease. */
  readonly until: number
  /** The highest rank to take. */
  readonly most: number
  /** Take only this integration, if it is due. */
  readonly integration?: string | undefined
}

/** Parameters of `list`. */
export interface ListRequest {
  readonly state?: IntegrationState | undefined
  /** List only integrations with held removals. */
  readonly hasHeldRemovals?: boolean | undefined
  readonly after: string
  readonly limit: number
}

/** Element of the result of `list`. */
export interface ListedIntegration {
  readonly record: IntegrationRecord
  /** The number of missing notes whose removal a scan holds back. */
  readonly heldRemovals: number
}

/** Result of `count`. */
export interface IntegrationCounts {
  readonly active: number
  readonly removing: number
  readonly parked: Readonly<Record<ParkedBecause, number>>
  /** Due and not taken. */
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
  /** The number of integrations with missing notes whose removal a scan holds back. */
  readonly heldRemovals: number
}

/** The longest time before an integration is due again, in milliseconds. A later time was written by a clock that was wrong. */
export const MAX_WAIT_MS = 24 * 60 * 60_000

/** Whether a time was written by a clock that was ahead, or before a clock was set back. */
export function isTooFarAhead(time: number, now: number): boolean {
  return time > now + MAX_WAIT_MS
}

/** When an integration that got a hint while a worker had it is due. A parked integration erases the note that the hint hid, but does not read it. */
export function dueAfterHint({ state, pausedUntil }: NextWork, now: number): number {
  if (state !== 'parked') return Math.max(now, pausedUntil ?? 0)
  return Math.min(now + ERASE_WITHIN_MS, pausedUntil ?? Number.POSITIVE_INFINITY)
}

/** Makes the record of a new integration. */
export function newIntegration(integration: string, generation: string, now: number): IntegrationRecord {
  return {
    integration,
    generation,
    state: 'active',
    parkedBecause: null,
    dueAt: now,
    rank: RANKS.backfill,
    hints: 0,
    token: 0,
    failures: 0,
    pausedUntil: null,
    keyPrint: null,
    pollEveryMs: null,
    endpoint: null,
  }
}
