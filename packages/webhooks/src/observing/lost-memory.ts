import { MemoryStore } from '../stores/memory-store.ts'

/** A test suite creates many receivers within a few seconds. Deliveries of a service arrive over a longer time. */
const MIN_SECONDS_BETWEEN = 9
const MIN_DELIVERIES = 3

const MAX_INTEGRATIONS = 1_000

/**
 * Finds receivers that a program creates for each delivery. Each has a new store in memory, so that no event is ever a duplicate or stale.
 *
 * Counts the seconds in which a store in memory got its first event, by integration. A store that gets a second event was not created for
 * one delivery, and resets the count.
 */
export class LostMemory {
  readonly #usedStores = new WeakMap<object, number>()
  readonly #secondsOf = new Map<string, Set<number>>()
  #isTold = false

  /**
   * Called with each event.
   *
   * @returns `true` once, when such receivers are found
   */
  isFound(store: object, integration: string, now: number): boolean {
    if (this.#isTold || !(store instanceof MemoryStore)) return false
    const events = (this.#usedStores.get(store) ?? 0) + 1
    this.#usedStores.set(store, events)
    if (events === 2) this.#secondsOf.delete(integration)
    if (events >= 2) return false
    const seconds = this.#secondsOf.get(integration) ?? new Set()
    if (this.#secondsOf.size >= MAX_INTEGRATIONS) this.#secondsOf.clear()
    const second = Math.floor(now / 1000)
    this.#secondsOf.set(integration, seconds.add(second))
    const [first = second] = seconds
    this.#isTold = seconds.size >= MIN_DELIVERIES && second - first >= MIN_SECONDS_BETWEEN
    return this.#isTold
  }
}
