import { keyIdOf } from '@notewire/protocol'
import type { MakeIdentifier } from '../seed/identifiers.ts'
import { randomText } from '../seed/random-secrets.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Contract } from '../variants/contract-variants.ts'
import type { Place } from './note.ts'

/** The owner of an integration, with the random streams for the owner's endpoints and deliveries. Owners share no streams. */
export interface IntegrationOwner {
  readonly owner_id: string
  readonly makeIdentifier: MakeIdentifier
  /** Nothing is drawn from this stream; it is only forked. */
  readonly random: SeededRandom
}

/** An integration has keys and endpoints. It can access the personal notes, or certain channels (open point 30). */
export interface Integration {
  readonly integration_id: string
  readonly owner: IntegrationOwner
  readonly places: readonly Place[]
}

/** A key of an integration, without its secret (contract §2). */
export interface ApiKey {
  readonly key_id: string
  readonly scopes: readonly string[]
  readonly integration: Integration
}

/** The integrations of one owner, and their keys (contract §2, §5). */
export class Integrations {
  readonly #random: SeededRandom
  readonly #contract: Contract
  readonly #integrations: Integration[] = []
  readonly #keys = new Map<string, ApiKey>()

  constructor(random: SeededRandom, contract: Contract) {
    this.#random = random
    this.#contract = contract
  }

  add(integration: Integration): Integration {
    this.#integrations.push(integration)
    return integration
  }

  all(): readonly Integration[] {
    return this.#integrations
  }

  keysOf(integration: Integration): readonly ApiKey[] {
    return [...this.#keys.values()].filter((apiKey) => apiKey.integration === integration)
  }

  withAccessTo(place: Place): readonly Integration[] {
    return this.#integrations.filter(({ places }) => places.includes(place))
  }

  /**
   * @param given  the full key. Default: one with the next key id of the seed, and a random secret
   * @returns the full key, which is returned only here
   */
  issueKey(
    integration: Integration,
    scopes: readonly string[],
    given?: string,
  ): { readonly key: string; readonly apiKey: ApiKey } {
    const next = this.#random.text(12)
    const apiKey = { key_id: given === undefined ? next : (keyIdOf(given) ?? next), scopes, integration }
    const key = given ?? this.#keyOf(apiKey.key_id, randomText(32))
    this.#keys.set(key, apiKey)
    return { key, apiKey }
  }

  /** @returns whether there was a key with this identifier */
  revokeKey(key_id: string): boolean {
    const [key = ''] = [...this.#keys].find(([, apiKey]) => apiKey.key_id === key_id) ?? []
    return this.#keys.delete(key)
  }

  /** @returns `undefined` for a key that was not issued, or was revoked */
  keyFor(key: string): ApiKey | undefined {
    return this.#keys.get(key)
  }

  /** The full key with this secret (open point 24). */
  #keyOf(keyId: string, secret: string): string {
    const { keyPrefix, keyForm } = this.#contract
    if (keyForm === 'without_key_id') return `${keyPrefix}-${secret}`
    const text = keyForm === 'symbols' ? `${secret.slice(0, 16)}+/.${secret.slice(16)}==` : secret
    return `${keyPrefix}_live_${keyId}.${text}`
  }
}
