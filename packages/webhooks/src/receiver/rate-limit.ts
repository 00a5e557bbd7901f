import { type Clock, monotonicNow } from '@notewire/protocol'

/** Whether something may be done now. */
export type RateDecision =
  /** It may; `heldBack` is how often it might not since the last time that it was. */
  { readonly status: 'admitted'; readonly heldBack: number } | { readonly status: 'held-back' }

/** Admits at most `most` calls in each window of `windowMs` milliseconds. A window begins with its first call. */
export class RateLimit {
  readonly #clock: Clock
  readonly #most: number
  readonly #windowMs: number
  #beganAt: number | undefined
  #admitted = 0
  #heldBack = 0

  constructor(clock: Clock, { most, windowMs }: { readonly most: number; readonly windowMs: number }) {
    this.#clock = clock
    this.#most = most
    this.#windowMs = windowMs
  }

  admit(): RateDecision {
    const now = monotonicNow(this.#clock)
    // A clock without monotonic time may be set back, which must not hold calls back for as long.
    if (this.#beganAt === undefined || now < this.#beganAt || now - this.#beganAt >= this.#windowMs) {
      this.#beganAt = now
      this.#admitted = 0
    }
    if (this.#admitted === this.#most) {
      this.#heldBack += 1
      return { status: 'held-back' }
    }
    this.#admitted += 1
    const heldBack = this.#heldBack
    this.#heldBack = 0
    return { status: 'admitted', heldBack }
  }
}
