/** Lets those who wait be woken, and remembers that they should have been. */
export class Wakeup {
  #waiting: (() => void)[] = []
  #calls = 0

  /** How often `wake` was called. */
  get calls(): number {
    return this.#calls
  }

  readonly wake = (): void => {
    this.#calls += 1
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  /** Resolves with the next call behind those that are known. */
  after(calls: number): Promise<void> {
    if (this.#calls > calls) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
