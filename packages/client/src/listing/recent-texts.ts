/** Remembers the latest texts of any length, in a bounded memory: it keeps a hash of 53 bits of each. */
export class RecentTexts {
  readonly #max: number
  // Two sets, because to delete the oldest of one set at each text takes long.
  #latest = new Set<number>()
  #earlier = new Set<number>()

  /** @param max  how many texts to remember at least. It remembers up to twice as many */
  constructor(max: number) {
    this.#max = max
  }

  has(text: string): boolean {
    const hash = hashOf(text)
    return this.#latest.has(hash) || this.#earlier.has(hash)
  }

  /** @returns whether the text is not remembered yet */
  add(text: string): boolean {
    const isNew = !this.has(text)
    this.#latest.add(hashOf(text))
    if (this.#latest.size >= this.#max) {
      this.#earlier = this.#latest
      this.#latest = new Set()
    }
    return isNew
  }
}

/** Two 32-bit multiplicative hashes, of which 53 bits are kept. */
function hashOf(text: string): number {
  let one = 0x811c9dc5
  let other = 0x41c6ce57
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 2_654_435_761)
  }
  return 2 ** 32 * (other >>> 11) + (one >>> 0)
}
