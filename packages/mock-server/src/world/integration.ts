import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Place } from './place.ts'

/** What keys are issued for and endpoints belong to. It sees personal notes, or channels that the owner chose (open point 30). */
export interface Integration {
  readonly integration_id: string
  readonly places: readonly Place[]
}

/** A key of an integration, without the part that is shown once (contract §2). */
interface ApiKey {
  readonly key_id: string
  readonly scopes: readonly string[]
  readonly integration: Integration
}

/** The integrations of the owner and the keys that were issued for them (contract §2, §5). */
export class Integrations {
  readonly #random: SeededRandom
  readonly #keyPrefix: string
  readonly #integrations: Integration[] = []
  readonly #keys = new Map<string, ApiKey>()

  constructor(random: SeededRandom, keyPrefix: string) {
    this.#random = random
    this.#keyPrefix = keyPrefix
  }

  add(integration: Integration): void {
    this.#integrations.push(integration)
  }

  all(): readonly Integration[] {
    return this.#integrations
  }

  /** The keys of an integration that are in force. */
  keysOf(integration: Integration): readonly ApiKey[] {
    return [...this.#keys.values()].filter((apiKey) => apiKey.integration === integration)
  }

  /** Those that see the notes of a place. */
  thatSee(place: Place): readonly Integration[] {
    return this.#integrations.filter(({ places }) => places.includes(place))
  }

  /** @returns the full key, which nothing else shows again */
  issueKey(integration: Integration, scopes: readonly string[]): { readonly key: string; readonly apiKey: ApiKey } {
    const apiKey = { key_id: this.#random.text(12), scopes, integration }
    const key = `${this.#keyPrefix}_live_${apiKey.key_id}.${this.#random.text(32)}`
    this.#keys.set(key, apiKey)
    return { key, apiKey }
  }

  revokeKey(key: string): void {
    this.#keys.delete(key)
  }

  /** Revokes the key of this identifier, for those who were never shown the whole. */
  revokeKeyOf(key_id: string): void {
    for (const [key, apiKey] of this.#keys) if (apiKey.key_id === key_id) this.#keys.delete(key)
  }

  /** @returns `undefined` for a key that was never issued, or is revoked */
  keyFor(key: string): ApiKey | undefined {
    return this.#keys.get(key)
  }
}
