import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Contract } from '../variants/contract-variants.ts'
import type { Place } from './place.ts'

/** An integration has keys and endpoints. It can access the personal notes, or certain channels (open point 30). */
export interface Integration {
  readonly integration_id: string
  readonly owner_id: string
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
  readonly #contract: Pick<Contract, 'keyPrefix' | 'keyForm'>
  readonly #integrations: Integration[] = []
  readonly #keys = new Map<string, ApiKey>()

  constructor(random: SeededRandom, contract: Pick<Contract, 'keyPrefix' | 'keyForm'>) {
    this.#random = random
    this.#contract = contract
  }

  add(integration: Integration): void {
    this.#integrations.push(integration)
  }

  all(): readonly Integration[] {
    return this.#integrations
  }

  /** The active keys of an integration. */
  keysOf(integration: Integration): readonly ApiKey[] {
    return [...this.#keys.values()].filter((apiKey) => apiKey.integration === integration)
  }

  /** The integrations that can access the notes of a place. */
  thatSee(place: Place): readonly Integration[] {
    return this.#integrations.filter(({ places }) => places.includes(place))
  }

  /** @returns the full key, which is returned only here */
  issueKey(integration: Integration, scopes: readonly string[]): { readonly key: string; readonly apiKey: ApiKey } {
    const apiKey = { key_id: this.#random.text(12), scopes, integration }
    const key = keyOf(apiKey.key_id, this.#random.text(32), this.#contract)
    this.#keys.set(key, apiKey)
    return { key, apiKey }
  }

  revokeKey(key: string): void {
    this.#keys.delete(key)
  }

  /**
   * Revokes the key with this identifier.
   *
   * @returns whether there was one
   */
  revokeKeyOf(key_id: string): boolean {
    const [key] = [...this.#keys].find(([, apiKey]) => apiKey.key_id === key_id) ?? []
    return key !== undefined && this.#keys.delete(key)
  }

  /** @returns `undefined` for a key that was not issued, or was revoked */
  keyFor(key: string): ApiKey | undefined {
    return this.#keys.get(key)
  }
}

/** The full key with this secret (open point 24). */
function keyOf(keyId: string, secret: string, { keyPrefix, keyForm }: Pick<Contract, 'keyPrefix' | 'keyForm'>): string {
  switch (keyForm) {
    case 'key_id':
      return `${keyPrefix}_live_${keyId}.${secret}`
    case 'symbols':
      return `${keyPrefix}_live_${keyId}.${secret.slice(0, 16)}+/.${secret.slice(16)}==`
    case 'without_key_id':
      return `${keyPrefix}-${secret}`
  }
}
