import type { MirrorCommit, MirrorStore } from '../interfaces/store.ts'
import { replacing } from './lease.ts'

/** Tells the consumers of an integration when this process has committed changes of its notes. */
export class LocalChanges {
  readonly #listeners = new Map<string, Set<() => void>>()

  /** @returns a function that removes the listener */
  listen(integration: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(integration) ?? new Set()
    this.#listeners.set(integration, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(integration) === listeners) this.#listeners.delete(integration)
    }
  }

  /** The store whose commits call the listeners. */
  watch(store: MirrorStore): MirrorStore {
    return replacing(store, (operation, name) => {
      if (name !== 'commit') return operation
      return async (integration, commit) => {
        const outcome = await operation(integration, commit)
        const { notes } = commit as MirrorCommit
        if (notes.some(({ announce }) => announce !== undefined)) this.#call(String(integration))
        return outcome
      }
    })
  }

  #call(integration: string): void {
    for (const listener of this.#listeners.get(integration) ?? []) listener()
  }
}
