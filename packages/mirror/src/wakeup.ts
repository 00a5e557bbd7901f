/** Lets those who wait be woken, and remembers that they should have been. */
export class Wakeup {
  readonly #waiting = new Set<() => void>()
  #calls = 0

  /** How often `wake` was called. */
  get calls(): number {
    return this.#calls
  }

  readonly wake = (): void => {
    this.#calls += 1
    for (const resolve of this.#waiting) resolve()
  }

  /** Resolves with the next call behind those that are known, or when the signal fires: nothing is kept for who no longer waits. */
  after(calls: number, signal?: AbortSignal): Promise<void> {
    if (this.#calls > calls || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting.delete(end)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      this.#waiting.add(end)
      signal?.addEventListener('abort', end)
    })
  }
}
