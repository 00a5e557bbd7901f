/** All chance of one history: the same seed and number give the same draws. */
export class Random {
  #state: number

  constructor(seed: number, history: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(history + 1, 0x85ebca6b)) | 0
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** Both ends included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.integer(0, items.length - 1)] ?? items[0]
  }
}
