/** Counts what happens, so that of any two things it is known which came first, also within one millisecond. */
export class Moments {
  #latest = 0

  /** The moment of something that happens now. */
  next(): number {
    this.#latest += 1
    return this.#latest
  }
}
