import { type Clock, monotonicNow } from '@notewire/protocol'
import { ANSWER_WITHIN_MS, waitAtMost } from '../processing/timers.ts'
import type { SignatureCheck } from '../verifier/signature-check.ts'
import { LookupLimit, MAX_WAIT_MS } from './lookup-limit.ts'
import { findingOf, type SecretFinder, type SecretFinding, type SecretLookup } from './secret-source.ts'

/** How long a secret stays cached after the call of the user's function `secretOf`. */
const SECRET_MS = 60_000
/** How long after that call the secret is still used if it cannot be looked up again. Long enough for a database to fail over. */
const USABLE_MS = 300_000
/** The maximum number of integrations in the cache. If there are more, the one that was looked up longest ago is dropped. */
export const MAX_INTEGRATIONS = 10_000
/**
 * How long an id stays cached as unknown. Less than the delay of the service's first retry (30 s), so that an integration that is saved
 * shortly after its first delivery is found at the retry.
 */
const UNKNOWN_MS = 10_000
const MAX_UNKNOWN_IDS = 1_000
/** The minimum time between two lookups of one integration after signatures that did not match. */
const MIN_MISMATCH_INTERVAL_MS = 5_000
/** How long deliveries share a lookup. After that, the next delivery starts another one. */
const LOOKUP_MS = ANSWER_WITHIN_MS

type Found = SecretFinding & { readonly status: 'found' }

/** An integration that exists. Up to ten thousand are cached, so each should take at most 1 kB, including its key. */
interface Known {
  /** When its latest lookup was requested. */
  readonly askedAt: number
  /** Its secret. `undefined` if it has no usable one. */
  readonly found: Found | undefined
  /** When the latest lookup after a signature that did not match was requested. */
  readonly mismatchAt: number | undefined
}

interface Lookup {
  readonly integration: string
  readonly askedAt: number
  readonly cause: 'no-secret' | 'mismatch'
  readonly finding: Promise<SecretFinding>
  isForgotten: boolean
}

const UNKNOWN: SecretFinding = { status: 'unknown' }
const LIMITED: SecretFinding = { status: 'limited' }

/** Finds the signing secrets of many integrations by the function `secretOf`, and caches them for a minute. */
export class IntegrationSecrets implements SecretFinder {
  readonly isOfMany = true
  readonly #lookUp: SecretLookup
  readonly #clock: Clock
  readonly #limit: LookupLimit
  /**
   * Integrations that exist, in the order of their latest lookups. A cache hit does not move its entry to the end, because deleting and
   * inserting entries leaves deleted slots in the `Map`, which make each hit about 100 times slower.
   */
  readonly #known = new Map<string, Known>()
  /** Ids that the function did not know, with the time of the call. A separate map, so that invented ids evict no secret. */
  readonly #unknown = new Map<string, number>()
  /** The lookup of each integration for its deliveries to share, the oldest first. */
  readonly #lookups = new Map<string, Lookup>()

  constructor(lookUp: SecretLookup, clock: Clock) {
    this.#lookUp = lookUp
    this.#clock = clock
    this.#limit = new LookupLimit(clock)
  }

  find(integration: string): SecretFinding | Promise<SecretFinding> {
    const now = this.#now()
    const known = this.#known.get(integration)
    if (known === undefined && isWithin(UNKNOWN_MS, this.#unknown.get(integration), now)) return UNKNOWN
    if (known?.found !== undefined && isWithin(SECRET_MS, known.askedAt, now)) return known.found
    const lookup = this.#startOrShareLookup(integration, 'no-secret', now)
    return known?.found !== undefined && isWithin(USABLE_MS, known.askedAt, now)
      ? this.#findRefreshed(lookup, known, known.found)
      : lookup.finding
  }

  findOther(integration: string, used: SignatureCheck): SecretFinding | undefined | Promise<SecretFinding> {
    const now = this.#now()
    const known = this.#known.get(integration)
    // The cached secret was replaced or dropped while the signature was computed: find the current one.
    if (known?.found?.check !== used) return this.find(integration)
    const isTooSoon = isWithin(MIN_MISMATCH_INTERVAL_MS, known.mismatchAt, now)
    if (isTooSoon && this.#runningLookup(integration, now) === undefined) return undefined
    return this.#startOrShareLookup(integration, 'mismatch', now).finding
  }

  knows(integration: string): boolean {
    return this.#known.has(integration)
  }

  /** Drops the cached secret of an integration. When a running lookup ends, the deliveries that wait for it start a new one. */
  forget(integration: string): void {
    this.#known.delete(integration)
    this.#unknown.delete(integration)
    const lookup = this.#lookups.get(integration)
    if (lookup !== undefined) lookup.isForgotten = true
    this.#lookups.delete(integration)
  }

  /** Waits for the lookup of a known secret, and falls back to that secret if the lookup fails or takes longer than 2 s. */
  async #findRefreshed({ integration, askedAt, finding }: Lookup, known: Known, found: Found): Promise<SecretFinding> {
    let refreshed: SecretFinding | undefined
    const refresh = finding.then((latest) => {
      if (latest.status !== 'failed' && latest.status !== 'limited') refreshed = latest
    })
    const leftMs = askedAt + MAX_WAIT_MS - this.#now()
    if (leftMs > 0) await waitAtMost(this.#clock, leftMs, refresh)
    if (refreshed !== undefined) return refreshed
    return this.#known.get(integration) === known ? found : this.find(integration)
  }

  #startOrShareLookup(requested: string, cause: Lookup['cause'], now: number): Lookup {
    const running = this.#runningLookup(requested, now)
    if (running !== undefined) return running
    const integration = copyOf(requested)
    // A forged request can cause a mismatch, but not that the secret of a known integration expires.
    const queue = cause === 'no-secret' && this.#known.has(integration) ? 'first' : 'others'
    const finding = this.#limit.run(queue, () => this.#callLookup(integration))
    const lookup: Lookup = {
      integration,
      askedAt: now,
      cause,
      finding: finding.then((result) => this.#conclude(lookup, result ?? LIMITED)),
      isForgotten: false,
    }
    this.#lookups.set(integration, lookup)
    return lookup
  }

  async #callLookup(integration: string): Promise<SecretFinding> {
    try {
      const secrets = await this.#lookUp(integration)
      return secrets === undefined || secrets === null ? UNKNOWN : findingOf(secrets)
    } catch (error) {
      return { status: 'failed', error }
    }
  }

  #conclude(lookup: Lookup, finding: SecretFinding): SecretFinding | Promise<SecretFinding> {
    const { integration, askedAt, cause, isForgotten } = lookup
    if (isForgotten) return this.find(integration)
    // Another lookup has begun since.
    if (this.#lookups.get(integration) !== lookup) return finding
    this.#lookups.delete(integration)
    switch (finding.status) {
      case 'unknown':
        this.#known.delete(integration)
        remember(this.#unknown, integration, askedAt, MAX_UNKNOWN_IDS)
        break
      case 'found':
      case 'missing':
      case 'invalid': {
        const found = finding.status === 'found' ? finding : undefined
        const mismatchAt = cause === 'mismatch' ? askedAt : this.#known.get(integration)?.mismatchAt
        remember(this.#known, integration, { askedAt, found, mismatchAt }, MAX_INTEGRATIONS)
      }
    }
    return finding
  }

  /** The lookup that the deliveries of an integration share. Drops those that hang: their requests may have been canceled. */
  #runningLookup(integration: string, now: number): Lookup | undefined {
    for (const lookup of this.#lookups.values()) {
      if (isWithin(LOOKUP_MS, lookup.askedAt, now)) break
      this.#lookups.delete(lookup.integration)
    }
    return this.#lookups.get(integration)
  }

  // In whole milliseconds: V8 stores small integers in less memory than fractions.
  #now(): number {
    return Math.floor(monotonicNow(this.#clock))
  }
}

/**
 * Whether less than `ms` milliseconds have passed since a time. False if `since` is in the future: a clock without `monotonic` can be set
 * back.
 */
function isWithin(ms: number, since: number | undefined, now: number): boolean {
  return since !== undefined && now >= since && now - since < ms
}

/** Copies an id that a router cut from a URL: a substring keeps the whole URL in memory. */
function copyOf(integration: string): string {
  return JSON.parse(JSON.stringify(integration))
}

/** Makes an entry the last of a map, and drops the first one if there are more than `maxSize`. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value, maxSize: number): void {
  map.delete(key)
  map.set(key, value)
  const [first] = map.keys()
  if (map.size > maxSize && first !== undefined) map.delete(first)
}
