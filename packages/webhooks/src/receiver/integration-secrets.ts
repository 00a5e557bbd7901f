import { type Clock, monotonicNow } from '@notewire/protocol'
import type { SignatureCheck } from '../verifier/signature-check.ts'
import { TokenBucket } from './rate-limit.ts'
import { findingOf, type SecretFinder, type SecretFinding, type SecretLookup } from './secret-source.ts'
import { ANSWER_WITHIN_MS } from './timers.ts'

/** How long a secret is used after the function was asked for it. */
const SECRET_MS = 60_000
/** Beyond this number, the secret is dropped that was asked for least recently. One that is in use is asked for every minute. */
export const MOST_SECRETS = 10_000
/** Less than the service's first pause, 30 s: an integration that is saved after its first delivery is known at the second. */
const UNKNOWN_MS = 10_000
const MOST_UNKNOWN = 1_000
/** How often an integration's secret is asked for again because no signature matched. */
const ASK_AGAIN_MS = 5_000
/** Deliveries wait no longer than this. Then a lookup is not shared any more, and does not count. */
const LOOKUP_MS = ANSWER_WITHIN_MS
/** More than forged ids alone can start within {@link LOOKUP_MS}. */
export const MOST_LOOKUPS = 512
/** Limits the lookups of ids that this process does not know. Ids that turn out to exist do not count. */
export const STRANGERS = { most: 100, aSecond: 20 }

/** A secret that is kept. Ten thousand of these are, so that each should take 1 kB at most, the key included. */
interface Usable extends Found {
  readonly integration: string
  /** When the function was asked. */
  readonly askedAt: number
}

type Found = SecretFinding & { readonly status: 'found' }

/** An integration that exists, and whose secret is not kept. */
interface Unusable {
  readonly status: 'unusable'
  readonly integration: string
}

interface Lookup {
  readonly integration: string
  readonly askedAt: number
  readonly finding: Promise<SecretFinding>
  isForgotten: boolean
}

const UNKNOWN: SecretFinding = { status: 'unknown' }
const LIMITED: SecretFinding = { status: 'limited' }

/** The signing secrets of a receiver of many integrations: asks a function for them, and keeps them for a minute. */
export class IntegrationSecrets implements SecretFinder {
  readonly isOfMany = true
  readonly #lookUp: SecretLookup
  readonly #clock: Clock
  /**
   * The least recently asked for first. A `Map` keeps the places of what is deleted until it is full: to move an entry at each delivery
   * would make its lookup a hundred times slower.
   */
  readonly #known = new Map<string, Usable | Unusable>()
  /** When the function was asked for ids that it did not know. Apart from the others, so that forged ids evict no secret. */
  readonly #unknown = new Map<string, number>()
  /** When secrets were last asked for again. */
  readonly #askedAgain = new Map<string, number>()
  /** What deliveries of the same integration share. */
  readonly #shared = new Map<string, Lookup>()
  /** The oldest first. */
  readonly #underWay = new Set<Lookup>()
  readonly #strangers: TokenBucket

  constructor(lookUp: SecretLookup, clock: Clock) {
    this.#lookUp = lookUp
    this.#clock = clock
    this.#strangers = new TokenBucket(clock, STRANGERS)
  }

  find(integration: string): SecretFinding | Promise<SecretFinding> {
    const now = this.#now()
    const known = this.#known.get(integration)
    if (known === undefined && this.#isUnknown(integration, now)) return UNKNOWN
    if (known?.status === 'found') {
      if (isWithin(SECRET_MS, known.askedAt, now)) return known
      // That the integration exists is kept for longer, so that its lookups are not limited as those of forged ids are.
      this.#known.set(known.integration, { status: 'unusable', integration: known.integration })
    }
    return this.#ask(integration, now)
  }

  findOther(integration: string, used: SignatureCheck): SecretFinding | undefined | Promise<SecretFinding> {
    const now = this.#now()
    const known = this.#known.get(integration)
    // It was replaced or forgotten while the signature was computed.
    if (known?.status !== 'found' || known.check !== used) return this.find(integration)
    if (!this.#isAsking(integration, now)) {
      const askedAgainAt = this.#askedAgain.get(integration)
      if (askedAgainAt !== undefined && isWithin(ASK_AGAIN_MS, askedAgainAt, now)) return undefined
      remember(this.#askedAgain, known.integration, now, MOST_SECRETS)
    }
    return this.#ask(integration, now)
  }

  knows(integration: string): boolean {
    return this.#known.has(integration)
  }

  /** Drops what is known of an integration. Deliveries that wait for a lookup ask again. */
  forget(integration: string): void {
    this.#known.delete(integration)
    this.#unknown.delete(integration)
    this.#askedAgain.delete(integration)
    const shared = this.#shared.get(integration)
    if (shared !== undefined) shared.isForgotten = true
    this.#shared.delete(integration)
  }

  /** Asks the function, or shares a lookup. */
  #ask(integration: string, now: number): SecretFinding | Promise<SecretFinding> {
    const shared = this.#isAsking(integration, now) ? this.#shared.get(integration) : undefined
    if (shared !== undefined) return shared.finding
    if (this.#underWay.size >= MOST_LOOKUPS) return LIMITED
    const isStranger = !this.#known.has(integration)
    if (isStranger && !this.#strangers.take()) return LIMITED
    const lookup: Lookup = {
      integration,
      askedAt: now,
      finding: this.#answerOf(integration).then((finding) => this.#conclude(lookup, finding, isStranger)),
      isForgotten: false,
    }
    this.#underWay.add(lookup)
    this.#shared.set(integration, lookup)
    return lookup.finding
  }

  async #answerOf(integration: string): Promise<SecretFinding> {
    try {
      const secrets = await this.#lookUp(integration)
      return secrets === undefined || secrets === null ? UNKNOWN : findingOf(secrets)
    } catch (error) {
      return { status: 'failed', error }
    }
  }

  #conclude(lookup: Lookup, finding: SecretFinding, isStranger: boolean): SecretFinding | Promise<SecretFinding> {
    const { askedAt, isForgotten } = lookup
    const integration = copyOf(lookup.integration)
    const isLate = !this.#underWay.has(lookup)
    this.#end(lookup)
    if (isStranger && finding.status !== 'unknown' && finding.status !== 'failed') this.#strangers.giveBack()
    if (isForgotten) return this.find(integration)
    if (isLate) return finding
    switch (finding.status) {
      case 'unknown':
        this.#known.delete(integration)
        remember(this.#unknown, integration, askedAt, MOST_UNKNOWN)
        break
      case 'found': {
        const usable: Usable = { status: 'found', check: finding.check, integration, askedAt }
        remember(this.#known, integration, usable, MOST_SECRETS)
        break
      }
      case 'missing':
      case 'invalid':
        remember(this.#known, integration, { status: 'unusable', integration }, MOST_SECRETS)
    }
    return finding
  }

  #isUnknown(integration: string, now: number): boolean {
    const askedAt = this.#unknown.get(integration)
    if (askedAt === undefined) return false
    if (isWithin(UNKNOWN_MS, askedAt, now)) return true
    this.#unknown.delete(integration)
    return false
  }

  #isAsking(integration: string, now: number): boolean {
    for (const lookup of this.#underWay) {
      if (isWithin(LOOKUP_MS, lookup.askedAt, now)) break
      this.#end(lookup)
    }
    return this.#shared.has(integration)
  }

  // In whole milliseconds, which take less memory.
  #now(): number {
    return Math.floor(monotonicNow(this.#clock))
  }

  #end(lookup: Lookup): void {
    this.#underWay.delete(lookup)
    if (this.#shared.get(lookup.integration) === lookup) this.#shared.delete(lookup.integration)
  }
}

/** Whether less than `ms` have passed since a time. It is false for a time to come, as after a clock was set back. */
function isWithin(ms: number, since: number, now: number): boolean {
  return now >= since && now - since < ms
}

/** Routers cut ids from the URL of the request. Such a text would keep the whole URL in memory. */
function copyOf(integration: string): string {
  return JSON.parse(JSON.stringify(integration))
}

/** Makes an entry the last of a map, and drops the first one if there are more than `most`. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  for (const first of map.keys()) {
    map.delete(first)
    return
  }
}
