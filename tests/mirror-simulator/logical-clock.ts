/** Orders the events of a history, including those of the same millisecond. */
export class LogicalClock {
  #latest = 0

  /** Returns the next number, for an event that happens now. */
  next(): number {
    this.#latest += 1
    return this.#latest
  }
}
