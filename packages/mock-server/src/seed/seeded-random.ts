/** Letters and digits. */
export const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Random numbers, the same for the same seed on every runtime: the sfc32 generator, seeded by a hash of a path. Each concern forks
 * its own stream, so that an additional draw in one does not change another.
 */
export class SeededRandom {
  readonly #path: string
  readonly #state: Uint32Array

  constructor(path: string) {
    this.#path = path
    this.#state = hash(path)
    // The first outputs of sfc32 correlate with the seed, so they are skipped.
    for (let round = 0; round < 12; round++) this.#draw()
  }

  /** A stream that depends only on the path, not on the draws from this one. */
  fork(label: string): SeededRandom {
    return new SeededRandom(`${this.#path}/${label}`)
  }

  /** From 0 up to, but not including, 1. */
  fraction(): number {
    return this.#draw() / 2 ** 32
  }

  /** From `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  chance(rate: number): boolean {
    return this.fraction() < rate
  }

  pick(texts: readonly string[]): string {
    return texts[this.integer(0, texts.length - 1)] ?? ''
  }

  /** Letters and digits. */
  text(length: number): string {
    const codes = new Uint8Array(length)
    for (let index = 0; index < length; index++)
      codes[index] = ALPHABET.charCodeAt(this.integer(0, ALPHABET.length - 1))
    // Concatenated letters would take thirty times the memory.
    return String.fromCharCode(...codes)
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => this.integer(0, 255))
  }

  /** One step of sfc32 (Chris Doty-Humphrey, PractRand). */
  #draw(): number {
    const [a = 0, b = 0, c = 0, counter = 0] = this.#state
    const drawn = (a + b + counter) >>> 0
    this.#state.set([b ^ (b >>> 9), c + (c << 3), ((c << 21) | (c >>> 11)) + drawn, counter + 1])
    return drawn
  }
}

/** Hashes a path to four numbers that differ much for similar paths: FNV-1a, mixed as in MurmurHash3. */
function hash(path: string): Uint32Array {
  return Uint32Array.from([0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x85ebca6b], (basis) => {
    let word = 0x811c9dc5 ^ basis
    for (let index = 0; index < path.length; index++) word = Math.imul(word ^ path.charCodeAt(index), 0x01000193)
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35)
    return word ^ (word >>> 16)
  })
}
