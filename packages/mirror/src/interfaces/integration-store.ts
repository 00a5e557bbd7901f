import { ERASE_WITHIN_MS } from './note-state.ts'
import type { CopyState } from './progress.ts'

/**
 * The integrations of a `createMirrors`: one small row each. `dueAt` is the only schedule: an integration that is not due costs nothing.
 * `mirrorStoreChecks` of `@notewire/mirror/testing` say the same, executable.
 *
 * A worker takes an integration with a lease, and gets a fencing token. `MirrorCommit.fence` and the operations with a `Fence` write nothing
 * after another worker has taken the integration, or after it was removed. Times are milliseconds since the Unix epoch.
 */
export interface IntegrationStore {
  /**
   * Adds an integration, due at `now`; an integration that is there stays as it is. One that is being removed and waits for its consumers
   * (`pausedUntil`) becomes another copy: its notes are erased, and its consumers continue.
   */
  put(integration: string, generation: string, now: number): Promise<IntegrationRecord>
  get(integration: string): Promise<IntegrationRecord | undefined>
  /**
   * Takes the most urgent integration that is due: by rank, then the longest due. It is due again at `until`, in case the worker dies.
   *
   * @returns the record, with the worker's fencing token, and the copy; `undefined` if none is due
   */
  take(request: TakeRequest): Promise<TakenIntegration | undefined>
  /** Prolongs the lease; `false` if it is lost. */
  renew(integration: string, fence: Fence, until: number): Promise<boolean>
  /**
   * Ends the lease and schedules the next work. If a hint came since the integration was taken, it is due now, or after its pause, whatever
   * `next.dueAt` says.
   *
   * @param seen  the hints of the record that was taken, and the time
   * @returns `false` if the lease is lost, and nothing was written
   */
  finish(
    integration: string,
    fence: Fence,
    next: NextWork,
    seen: { readonly hints: number; readonly now: number },
  ): Promise<boolean>
  /** Makes an active integration due now and ends its pause. While a worker has it, it is due again when the worker has finished. */
  wake(integration: string, now: number): Promise<void>
  /**
   * Records the API key that an integration uses.
   *
   * @param print  identifies the key and its service
   * @returns `'shared'` if another integration uses the key
   */
  claimKey(integration: string, fence: Fence, print: string): Promise<'claimed' | 'shared' | 'fenced'>
  /** Makes a parked integration active and due; `false` if it is not parked. */
  resume(integration: string, now: number): Promise<boolean>
  /**
   * Begins the removal: another generation, which ends every lease, and is due now. `false` if there is no such integration.
   */
  remove(integration: string, generation: string, now: number): Promise<boolean>
  /** Lists the consumers of an integration by name. */
  listConsumers(integration: string): Promise<readonly string[]>
  /** Erases notes of an integration that is being removed, at most `limit`; and with the last of them, the integration. */
  erase(integration: string, fence: Fence, limit: number): Promise<'more' | 'done' | 'fenced'>
  /** Lists integrations by id. */
  list(request: ListRequest): Promise<readonly IntegrationRecord[]>
  count(now: number): Promise<IntegrationCounts>
}

/** `removing` integrations cannot be read, and disappear when all their notes are erased. */
export type IntegrationState = 'active' | 'parked' | 'removing'

/**
 * - `key_changed`: `connect` gives another key than the one that the notes were listed with.
 * - `key_shared`: another integration uses the key.
 * - `key_refused`: the service answered 401 or 403.
 */
export type ParkedBecause = 'key_changed' | 'key_shared' | 'key_refused'

/** The order of work: hints first, full scans last. */
export const RANKS = { hint: 0, poll: 1, backfill: 2, scan: 3 } as const

/** An integration, as it is stored. */
export interface IntegrationRecord extends NextWork {
  readonly integration: string
  /** Names this copy. An integration that is removed and added again is another generation. */
  readonly generation: string
  /** How many hints came. */
  readonly hints: number
  /** The fencing token: how often it was taken. */
  readonly token: number
  readonly keyPrint: string | null
}

/** An integration that a worker has taken, and its copy at that moment. */
export interface TakenIntegration {
  readonly record: IntegrationRecord
  readonly copy: CopyState
}

/** What a worker writes when it has finished. */
export interface NextWork {
  readonly state: IntegrationState
  readonly parkedBecause: ParkedBecause | null
  /** When there is work; `null` when there is none. While a worker has the integration: the end of its lease. */
  readonly dueAt: number | null
  /** Of `RANKS`. */
  readonly rank: number
  /** How many times in a row it failed. */
  readonly failures: number
  /**
   * No request is sent before this time, not even for a hint. If the integration is being removed: its content is erased, and until this
   * time its removals wait for its consumers.
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
   * The status that the service showed last; `forbidden` if the key lacks the scope `webhooks:manage`, `missing` if the service has no such
   * endpoint any more, `unsupported` if it has no operation to read it.
   */
  readonly status: string
  /** When to read its status next. */
  readonly checkAt: number
  /** How many times in a row it was activated without becoming active. */
  readonly repairs: number
}

/** Which copy a commit is for, and by which worker. Without `token`, any worker may write. */
export interface Fence {
  readonly generation: string
  readonly token?: number | undefined
}

/** Which integration `take` takes. */
export interface TakeRequest {
  readonly now: number
  /** The end of the lease. */
  readonly until: number
  /** The greatest rank to take. */
  readonly most: number
  /** Only this one, if it is due. */
  readonly integration?: string | undefined
}

/** Which integrations `list` lists. */
export interface ListRequest {
  readonly state?: IntegrationState | undefined
  readonly after: string
  readonly limit: number
}

/** How many integrations there are. */
export interface IntegrationCounts {
  readonly active: number
  readonly removing: number
  readonly parked: Readonly<Record<ParkedBecause, number>>
  /** Due, and not taken. */
  readonly due: number
  /** When the longest due became due. */
  readonly dueSince: number | null
  /** When the next of the others is due. */
  readonly nextAt: number | null
  /** Active, and failed the last time. */
  readonly backingOff: number
  /**
   * How many notes of all integrations the service shows at a lower revision than before, or again after an announced deletion.
   * `mirrors.of(id).status()` says how many of one.
   */
  readonly contradictions: number
}

/** When an integration is due that got a hint while a worker had it. A parked one sends no request, but erases what the hint has hidden. */
export function dueAfterHint({ state, pausedUntil }: NextWork, now: number): number {
  return state === 'parked' ? now + ERASE_WITHIN_MS : Math.max(now, pausedUntil ?? 0)
}

/** The record of an integration that was just added. */
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
