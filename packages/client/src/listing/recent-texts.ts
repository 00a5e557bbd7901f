/** Remembers the latest texts of any length, in a bounded memory: it keeps a hash of 53 bits of each. */
export class RecentTexts {
  readonly #max: number
  readonly #hashes = new Set<number>()

  /** @param max  how many texts to remember */
  constructor(max: number) {
    this.#max = max
  }

  has(text: string): boolean {
    return this.#hashes.has(hashOf(text))
  }

  /** @returns whether the text is not remembered yet */
  add(text: string): boolean {
    const hash = hashOf(text)
    // Deleted first, so that the latest text is the last.
    const isNew = !this.#hashes.delete(hash)
    this.#hashes.add(hash)
    const [oldest] = this.#hashes.size > this.#max ? this.#hashes : []
    if (oldest !== undefined) this.#hashes.delete(oldest)
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
