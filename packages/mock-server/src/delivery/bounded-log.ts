/** The last entries of a log, in order of their addition. Older entries are dropped and counted. */
export class BoundedLog<Entry> {
  readonly entries: Entry[] = []
  readonly #capacity: number
  readonly #onDrop: (entry: Entry) => void
  #dropped = 0

  /** @param onDrop  called with each entry that is dropped */
  constructor(capacity: number, onDrop: (entry: Entry) => void = () => undefined) {
    this.#capacity = capacity
    this.#onDrop = onDrop
  }

  get dropped(): number {
    return this.#dropped
  }

  /** @returns the number of the entry since the first, for {@link replace} */
  add(entry: Entry): number {
    const number = this.#dropped + this.entries.push(entry) - 1
    if (this.entries.length > this.#capacity) {
      const [oldest] = this.entries.splice(0, 1)
      this.#dropped += 1
      if (oldest !== undefined) this.#onDrop(oldest)
    }
    return number
  }

  /** Replaces an entry, unless it was dropped. */
  replace(number: number, entry: Entry): void {
    if (number >= this.#dropped) this.entries[number - this.#dropped] = entry
  }
}
