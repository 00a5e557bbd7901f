/** Functions that wait until this process has done something for an integration: stored a hint, or committed changes. */
export class LocalListeners {
  readonly #ofOne = new Map<string, Set<() => void>>()
  readonly #ofAll = new Set<() => void>()

  /** @returns a function that removes the listener */
  listen(integration: string, listener: () => void): () => void {
    const listeners = this.#ofOne.get(integration) ?? new Set()
    this.#ofOne.set(integration, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#ofOne.get(integration) === listeners) this.#ofOne.delete(integration)
    }
  }

  /** @returns a function that removes the listener */
  listenToAll(listener: () => void): () => void {
    this.#ofAll.add(listener)
    return () => {
      this.#ofAll.delete(listener)
    }
  }

  notify(integration: string): void {
    for (const listener of this.#ofOne.get(integration) ?? []) listener()
    for (const listener of this.#ofAll) listener()
  }
}
