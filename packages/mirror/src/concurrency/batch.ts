/** Collects items, and writes them together: when enough wait, when the first has waited long enough, and on `flush`. */
export class Batch<Item> {
  readonly #size: number
  readonly #timer: () => Promise<void>
  readonly #write: (items: readonly Item[]) => Promise<void>
  #waiting: Item[] = []
  #writing: Promise<void> = Promise.resolve()

  /**
   * @param size  how many items are written without waiting for more
   * @param timer  resolves when an item that was added now has waited long enough
   * @param write  if it rejects, nothing more is written, and the following calls of `add` and `flush` reject
   */
  constructor(size: number, timer: () => Promise<void>, write: (items: readonly Item[]) => Promise<void>) {
    this.#size = size
    this.#timer = timer
    this.#write = write
  }

  /** Adds an item. If enough wait, resolves when the items before them are written, so that a slow store slows its callers down. */
  async add(item: Item): Promise<void> {
    const waiting = this.#waiting
    waiting.push(item)
    if (waiting.length === 1) {
      const writeInTime = () => {
        if (waiting === this.#waiting) void this.#begin()
      }
      this.#timer().then(writeInTime, () => undefined)
    }
    if (waiting.length >= this.#size) await this.#begin()
  }

  /** Resolves when every item that was added is written: with `true` if some were waiting. */
  async flush(): Promise<boolean> {
    const isAnyWaiting = this.#waiting.length > 0
    if (isAnyWaiting) void this.#begin()
    await this.#writing
    return isAnyWaiting
  }

  /** Writes the waiting items after the items before them. Resolves when those are written. */
  #begin(): Promise<void> {
    const [before, items] = [this.#writing, this.#waiting]
    this.#waiting = []
    this.#writing = before.then(() => this.#write(items))
    this.#writing.catch(() => undefined)
    return before
  }
}
