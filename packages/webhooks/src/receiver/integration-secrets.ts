import { type Clock, monotonicNow } from '@notewire/protocol'
import type { SignatureCheck } from '../verifier/signature-check.ts'
import { ANSWER_WITHIN_MS } from './deadline.ts'
import { findingOf, type SecretFinder, type SecretFinding, type SecretLookup } from './secret-source.ts'
import { TokenBucket } from './token-bucket.ts'

/** How long a secret is used after the function was asked for it. */
export const SECRET_MS = 60_000
/** Beyond this number, the least recently used secret is dropped. */
export const MOST_SECRETS = 10_000
/** Less than the service's first pause, 30 s: an integration that is saved after its first delivery is known at the second. */
export const UNKNOWN_MS = 10_000
const MOST_UNKNOWN = 1_000
/** How often an integration's secret is asked for again because no signature matched. */
export const ASK_AGAIN_MS = 5_000
/** Deliveries wait no longer than this. Then a lookup is not shared any more, and does not count. */
const LOOKUP_MS = ANSWER_WITHIN_MS
/** More than forged ids alone can start within {@link LOOKUP_MS}. */
export const MOST_LOOKUPS = 512
/** Limits the lookups of ids that this process does not know. Ids that turn out to exist do not count. */
export const STRANGERS = { most: 100, aSecond: 20 }

/** An integration that exists. */
interface Known {
  /** `undefined` if it had no usable secret, or the secret is too old. */
  found: (SecretFinding & { readonly status: 'found' }) | undefined
  /** When the function was asked. */
  readonly askedAt: number
  /** When the function was last asked again because no signature matched. */
  askedAgainAt: number
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
  readonly #lookUp: SecretLookup
  readonly #clock: Clock
  /** The least recently used first. */
  readonly #known = new Map<string, Known>()
  /** When the function was asked for ids that it did not know. Apart from the others, so that forged ids evict no secret. */
  readonly #unknown = new Map<string, number>()
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
    const now = monotonicNow(this.#clock)
    const known = this.#known.get(integration)
    if (known === undefined) return this.#isUnknown(integration, now) ? UNKNOWN : this.#ask(integration, now)
    if (known.found !== undefined && isWithin(SECRET_MS, known.askedAt, now)) {
      this.#keep(integration, known)
      return known.found
    }
    // The key goes. That the integration exists is kept, so that its lookups are not limited as those of forged ids are.
    known.found = undefined
    return this.#ask(integration, now)
  }

  findOther(integration: string, used: SignatureCheck): SecretFinding | undefined | Promise<SecretFinding> {
    const now = monotonicNow(this.#clock)
    const known = this.#known.get(integration)
    // It was replaced or forgotten while the signature was computed.
    if (known?.found?.check !== used) return this.find(integration)
    if (!this.#isAsking(integration, now)) {
      if (isWithin(ASK_AGAIN_MS, known.askedAgainAt, now)) return undefined
      known.askedAgainAt = now
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
    const { integration, askedAt, isForgotten } = lookup
    const isLate = !this.#underWay.has(lookup)
    this.#end(lookup)
    if (isStranger && finding.status !== 'unknown' && finding.status !== 'failed') this.#strangers.giveBack()
    if (isForgotten) return this.find(integration)
    if (isLate) return finding
    switch (finding.status) {
      case 'unknown':
        this.#known.delete(integration)
        this.#addUnknown(integration, askedAt)
        break
      case 'found':
      case 'missing':
      case 'invalid': {
        const { askedAgainAt = Number.NEGATIVE_INFINITY } = this.#known.get(integration) ?? {}
        const found = finding.status === 'found' ? finding : undefined
        this.#keep(integration, { found, askedAt, askedAgainAt })
      }
    }
    return finding
  }

  #keep(integration: string, known: Known): void {
    this.#known.delete(integration)
    this.#known.set(integration, known)
    if (this.#known.size > MOST_SECRETS) deleteFirst(this.#known)
  }

  #addUnknown(integration: string, askedAt: number): void {
    this.#unknown.set(integration, askedAt)
    if (this.#unknown.size > MOST_UNKNOWN) deleteFirst(this.#unknown)
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

  #end(lookup: Lookup): void {
    this.#underWay.delete(lookup)
    if (this.#shared.get(lookup.integration) === lookup) this.#shared.delete(lookup.integration)
  }
}

/** Whether less than `ms` have passed since a time. It is false for a time to come, as after a clock was set back. */
function isWithin(ms: number, since: number, now: number): boolean {
  return now >= since && now - since < ms
}

function deleteFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
