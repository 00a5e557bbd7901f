import { type Clock, monotonicNow } from '@notewire/protocol'
import { ANSWER_WITHIN_MS, waitAtMost } from '../timing/timers.ts'
import type { SignatureCheck } from '../verifier/signature-check.ts'
import { LookupLimit, MAX_WAIT_MS } from './lookup-limit.ts'
import { findingOf, type SecretFinder, type SecretFinding, type SecretLookup } from './secret-source.ts'

/** How long a secret stays cached after the call of the user's function `secretOf`. */
const SECRET_MS = 60_000
/** How long after that call the secret is still used if it cannot be looked up again. Long enough for a database to fail over. */
const USABLE_MS = 300_000
/** The maximum number of integrations in the cache. If there are more, the one that was looked up longest ago is dropped. */
export const MAX_INTEGRATIONS = 10_000
/** The minimum time between two lookups of one integration after signatures that did not match. */
const MIN_MISMATCH_INTERVAL_MS = 5_000
/** How long deliveries share a lookup. After that, the next delivery starts another one. */
const LOOKUP_MS = ANSWER_WITHIN_MS

/** An integration that exists: its secret, or why it has no usable one. Up to ten thousand are cached, so each should take at most 1 kB. */
type Known = Extract<SecretFinding, { readonly status: 'found' | 'missing' | 'invalid' }> & {
  /** When its latest lookup was requested. */
  readonly askedAt: number
  /** When the latest lookup after a signature that did not match was requested. */
  readonly mismatchAt: number | undefined
}

type Found = Known & { readonly status: 'found' }

interface Lookup {
  readonly integration: string
  readonly askedAt: number
  readonly cause: 'no-secret' | 'mismatch'
  readonly finding: Promise<SecretFinding>
}

/** An integration that exists, or whose first lookup is running. */
interface Entry {
  readonly known: Known | undefined
  /** The running lookup, for the deliveries of the integration to share. */
  readonly lookup: Lookup | undefined
}

const UNKNOWN: SecretFinding = { status: 'unknown' }
const LIMITED: SecretFinding = { status: 'limited' }

/** Finds the signing secrets of many integrations by the function `secretOf`, and caches them for a minute. */
export class IntegrationSecrets implements SecretFinder {
  readonly option = 'secretOf'
  readonly #lookUp: SecretLookup
  readonly #clock: Clock
  readonly #limit: LookupLimit
  /**
   * In the order of the latest lookups. A cache hit does not move its entry to the end, because deleting and inserting entries leaves deleted
   * slots in the `Map`, which make each hit about 100 times slower.
   */
  readonly #entries = new Map<string, Entry>()
  readonly #forgotten = new WeakSet<SignatureCheck>()

  constructor(lookUp: SecretLookup, clock: Clock) {
    this.#lookUp = lookUp
    this.#clock = clock
    this.#limit = new LookupLimit(clock)
  }

  find(integration: string): SecretFinding | Promise<SecretFinding> {
    const now = this.#now()
    const known = this.#entries.get(integration)?.known
    if (known?.status !== 'found') return this.#startOrShareLookup(integration, 'no-secret', now).finding
    if (isWithin(SECRET_MS, known.askedAt, now)) return known
    const lookup = this.#startOrShareLookup(integration, 'no-secret', now)
    return isWithin(USABLE_MS, known.askedAt, now) ? this.#findRefreshed(lookup, known) : lookup.finding
  }

  findOther(integration: string, used: SignatureCheck): SecretFinding | undefined | Promise<SecretFinding> {
    const now = this.#now()
    const { known } = this.#entries.get(integration) ?? {}
    // The secret was replaced or dropped since it was found: find the current one.
    if (known?.status !== 'found' || known.check !== used) return this.find(integration)
    const isTooSoon = isWithin(MIN_MISMATCH_INTERVAL_MS, known.mismatchAt, now)
    if (isTooSoon && this.#runningLookup(integration, now) === undefined) return undefined
    return this.#startOrShareLookup(integration, 'mismatch', now).finding
  }

  knows(integration: string): boolean {
    return this.#entries.get(integration)?.known !== undefined
  }

  isForgotten(used: SignatureCheck): boolean {
    return this.#forgotten.has(used)
  }

  /** Drops the secret of an integration, also for deliveries that have found it and are not verified yet. Those that wait for a lookup start a new one. */
  forget(integration: string): void {
    const known = this.#entries.get(integration)?.known
    if (known?.status === 'found') this.#forgotten.add(known.check)
    this.#entries.delete(integration)
  }

  /** Waits for the lookup of a known secret, and falls back to that secret if the lookup fails or takes longer than 2 s. */
  async #findRefreshed({ integration, askedAt, finding }: Lookup, found: Found): Promise<SecretFinding> {
    let refreshed: SecretFinding | undefined
    const refresh = finding.then((latest) => {
      if (latest.status !== 'failed' && latest.status !== 'limited') refreshed = latest
    })
    const leftMs = askedAt + MAX_WAIT_MS - this.#now()
    if (leftMs > 0) await waitAtMost(this.#clock, leftMs, refresh)
    if (refreshed !== undefined) return refreshed
    return this.isForgotten(found.check) ? this.find(integration) : found
  }

  #startOrShareLookup(requested: string, cause: Lookup['cause'], now: number): Lookup {
    const running = this.#runningLookup(requested, now)
    if (running !== undefined) return running
    // A copy: an id that a router cut from a URL keeps the whole URL in memory.
    const integration = structuredClone(requested)
    const known = this.#entries.get(integration)?.known
    // A forged request can cause a mismatch, but not that the secret of a known integration expires.
    const queue = cause === 'no-secret' && known !== undefined ? 'first' : 'others'
    const finding = this.#limit.run(queue, () => this.#callLookup(integration))
    const lookup: Lookup = {
      integration,
      askedAt: now,
      cause,
      finding: finding.then((result) => this.#conclude(lookup, result ?? LIMITED)),
    }
    this.#entries.set(integration, { known, lookup })
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
    const { integration, askedAt, cause } = lookup
    const entry = this.#entries.get(integration)
    // The secret was forgotten, or another lookup has begun since.
    if (entry?.lookup !== lookup) return this.find(integration)
    const { known } = entry
    switch (finding.status) {
      case 'found':
      case 'missing':
      case 'invalid':
        this.#remember(integration, {
          ...finding,
          askedAt,
          mismatchAt: cause === 'mismatch' ? askedAt : known?.mismatchAt,
        })
        break
      default:
        if (finding.status === 'unknown' || known === undefined) this.#entries.delete(integration)
        else this.#entries.set(integration, { known, lookup: undefined })
    }
    return finding
  }

  /** Makes an integration the one that was looked up last, and drops the first one if there are too many. */
  #remember(integration: string, known: Known): void {
    const isNew = !this.knows(integration)
    this.#entries.delete(integration)
    this.#entries.set(integration, { known, lookup: undefined })
    if (!isNew || this.#entries.size <= MAX_INTEGRATIONS) return
    for (const [oldest, entry] of this.#entries) {
      if (entry.known === undefined) continue
      this.#entries.delete(oldest)
      return
    }
  }

  /** The lookup that the deliveries of an integration share. One that hangs is not shared: its request may have been canceled. */
  #runningLookup(integration: string, now: number): Lookup | undefined {
    const lookup = this.#entries.get(integration)?.lookup
    return isWithin(LOOKUP_MS, lookup?.askedAt, now) ? lookup : undefined
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
