/** A limit of what runs at once. Whoever waits longest is next. */
export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Takes a slot if one is free. */
  takeFree(): boolean {
    if (this.#free === 0) return false
    this.#free -= 1
    return true
  }

  /** Resolves when the caller has a slot. */
  take(): Promise<void> {
    return this.takeFree() ? Promise.resolve() : new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /** Frees a slot. */
  release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
