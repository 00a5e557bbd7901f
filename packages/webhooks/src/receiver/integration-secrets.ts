import { type Clock, monotonicNow } from '@notewire/protocol'
import type { SignatureCheck } from '../verifier/signature-check.ts'
import { TokenBucket } from './rate-limit.ts'
import { findingOf, type SecretFinder, type SecretFinding, type SecretLookup } from './secret-source.ts'
import { ANSWER_WITHIN_MS } from './timers.ts'

/** How long a secret stays cached after the call of the user's function `secret`. */
const SECRET_MS = 60_000
/** The maximum number of integrations in the cache. If there are more, the one that was looked up longest ago is dropped. */
export const MAX_INTEGRATIONS = 10_000
/**
 * How long an id stays cached as unknown. Less than the delay of the service's first retry (30 s), so that an integration that is saved
 * shortly after its first delivery is found at the retry.
 */
const UNKNOWN_MS = 10_000
const MAX_UNKNOWN_IDS = 1_000
/** The minimum time between two lookups of one integration after signatures that did not match. */
const MIN_REFRESH_INTERVAL_MS = 5_000
/** How long deliveries share a lookup. After that, the next delivery starts another one, and the late one is no longer counted. */
const LOOKUP_MS = ANSWER_WITHIN_MS
/**
 * The maximum number of concurrent lookups. Requests with invented ids cannot use them up: {@link UNKNOWN_ID_LIMIT} allows fewer within
 * {@link LOOKUP_MS}.
 */
export const MAX_LOOKUPS = 512
/** The rate limit for lookups of ids that this process does not know. Lookups that find an integration do not count. */
export const UNKNOWN_ID_LIMIT = { burst: 100, perSecond: 20 }

/** A cached secret. Up to ten thousand are cached, so each should take at most 1 kB, including its key. */
interface Usable extends Found {
  readonly integration: string
  /** When the function `secret` was called. */
  readonly calledAt: number
}

type Found = SecretFinding & { readonly status: 'found' }

/** An integration that exists and whose secret is not cached. */
interface Unusable {
  readonly status: 'unusable'
  readonly integration: string
}

interface Lookup {
  readonly integration: string
  readonly calledAt: number
  readonly finding: Promise<SecretFinding>
  isForgotten: boolean
}

const UNKNOWN: SecretFinding = { status: 'unknown' }
const LIMITED: SecretFinding = { status: 'limited' }

/** Finds the signing secrets of a receiver of many integrations by the function `secret`, and caches them for a minute. */
export class IntegrationSecrets implements SecretFinder {
  readonly isOfMany = true
  readonly #lookUp: SecretLookup
  readonly #clock: Clock
  /**
   * Integrations that exist, in the order of their latest lookups. A cache hit does not move its entry to the end, because deleting and
   * inserting entries leaves deleted slots in the `Map`, which make each hit about 100 times slower.
   */
  readonly #known = new Map<string, Usable | Unusable>()
  /** Ids that the function did not know, with the time of the call. A separate map, so that invented ids evict no secret. */
  readonly #unknown = new Map<string, number>()
  /** For each integration: when it was last looked up because no signature matched. */
  readonly #refreshedAt = new Map<string, number>()
  /** The running lookup of each integration, for its deliveries to share. */
  readonly #shared = new Map<string, Lookup>()
  /** The lookups that are counted, the oldest first. */
  readonly #runningLookups = new Set<Lookup>()
  readonly #unknownLookups: TokenBucket

  constructor(lookUp: SecretLookup, clock: Clock) {
    this.#lookUp = lookUp
    this.#clock = clock
    this.#unknownLookups = new TokenBucket(clock, UNKNOWN_ID_LIMIT)
  }

  find(integration: string): SecretFinding | Promise<SecretFinding> {
    const now = this.#now()
    const known = this.#known.get(integration)
    if (known === undefined && this.#isUnknown(integration, now)) return UNKNOWN
    if (known?.status === 'found') {
      if (isWithin(SECRET_MS, known.calledAt, now)) return known
      // The secret is dropped, and the integration stays known: its lookups are not limited like those of invented ids.
      this.#known.set(known.integration, { status: 'unusable', integration: known.integration })
    }
    return this.#startOrShareLookup(integration, now)
  }

  findOther(integration: string, used: SignatureCheck): SecretFinding | undefined | Promise<SecretFinding> {
    const now = this.#now()
    const known = this.#known.get(integration)
    // The cached secret was replaced or dropped while the signature was computed: find the current one.
    if (known?.status !== 'found' || known.check !== used) return this.find(integration)
    if (!this.#hasRunningLookup(integration, now)) {
      const refreshedAt = this.#refreshedAt.get(integration)
      if (refreshedAt !== undefined && isWithin(MIN_REFRESH_INTERVAL_MS, refreshedAt, now)) return undefined
      remember(this.#refreshedAt, known.integration, now, MAX_INTEGRATIONS)
    }
    return this.#startOrShareLookup(integration, now)
  }

  knows(integration: string): boolean {
    return this.#known.has(integration)
  }

  /** Drops the cached secret of an integration. When a running lookup ends, the deliveries that wait for it start a new one. */
  forget(integration: string): void {
    this.#known.delete(integration)
    this.#unknown.delete(integration)
    this.#refreshedAt.delete(integration)
    const shared = this.#shared.get(integration)
    if (shared !== undefined) shared.isForgotten = true
    this.#shared.delete(integration)
  }

  /** Calls the function `secret`, or shares a running lookup. */
  #startOrShareLookup(integration: string, now: number): SecretFinding | Promise<SecretFinding> {
    const shared = this.#hasRunningLookup(integration, now) ? this.#shared.get(integration) : undefined
    if (shared !== undefined) return shared.finding
    if (this.#runningLookups.size >= MAX_LOOKUPS) return LIMITED
    const isUnknownId = !this.#known.has(integration)
    if (isUnknownId && !this.#unknownLookups.take()) return LIMITED
    const lookup: Lookup = {
      integration,
      calledAt: now,
      finding: this.#callLookup(integration).then((finding) => this.#conclude(lookup, finding, isUnknownId)),
      isForgotten: false,
    }
    this.#runningLookups.add(lookup)
    this.#shared.set(integration, lookup)
    return lookup.finding
  }

  async #callLookup(integration: string): Promise<SecretFinding> {
    try {
      const secrets = await this.#lookUp(integration)
      return secrets === undefined || secrets === null ? UNKNOWN : findingOf(secrets)
    } catch (error) {
      return { status: 'failed', error }
    }
  }

  #conclude(lookup: Lookup, finding: SecretFinding, isUnknownId: boolean): SecretFinding | Promise<SecretFinding> {
    const { calledAt, isForgotten } = lookup
    const integration = copyOf(lookup.integration)
    const isLate = !this.#runningLookups.has(lookup)
    this.#end(lookup)
    if (isUnknownId && finding.status !== 'unknown' && finding.status !== 'failed') this.#unknownLookups.giveBack()
    if (isForgotten) return this.find(integration)
    if (isLate) return finding
    switch (finding.status) {
      case 'unknown':
        this.#known.delete(integration)
        remember(this.#unknown, integration, calledAt, MAX_UNKNOWN_IDS)
        break
      case 'found': {
        const usable: Usable = { status: 'found', check: finding.check, integration, calledAt }
        remember(this.#known, integration, usable, MAX_INTEGRATIONS)
        break
      }
      case 'missing':
      case 'invalid':
        remember(this.#known, integration, { status: 'unusable', integration }, MAX_INTEGRATIONS)
    }
    return finding
  }

  #isUnknown(integration: string, now: number): boolean {
    const calledAt = this.#unknown.get(integration)
    if (calledAt === undefined) return false
    if (isWithin(UNKNOWN_MS, calledAt, now)) return true
    this.#unknown.delete(integration)
    return false
  }

  #hasRunningLookup(integration: string, now: number): boolean {
    for (const lookup of this.#runningLookups) {
      if (isWithin(LOOKUP_MS, lookup.calledAt, now)) break
      this.#end(lookup)
    }
    return this.#shared.has(integration)
  }

  // In whole milliseconds: V8 stores small integers in less memory than fractions.
  #now(): number {
    return Math.floor(monotonicNow(this.#clock))
  }

  #end(lookup: Lookup): void {
    this.#runningLookups.delete(lookup)
    if (this.#shared.get(lookup.integration) === lookup) this.#shared.delete(lookup.integration)
  }
}

/**
 * Whether less than `ms` milliseconds have passed since a time. False if `since` is in the future: a clock without `monotonic` can be set
 * back.
 */
function isWithin(ms: number, since: number, now: number): boolean {
  return now >= since && now - since < ms
}

/** Copies an id that a router cut from a URL: a substring keeps the whole URL in memory. */
function copyOf(integration: string): string {
  return JSON.parse(JSON.stringify(integration))
}

/** Makes an entry the last of a map, and drops the first one if there are more than `maxSize`. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value, maxSize: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= maxSize) return
  for (const first of map.keys()) {
    map.delete(first)
    return
  }
}
