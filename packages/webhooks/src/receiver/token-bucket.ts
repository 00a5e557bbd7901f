import { type Clock, monotonicNow } from '@notewire/protocol'

/** A rate limit that allows bursts: `most` tokens at once, and `aSecond` new ones a second. */
export class TokenBucket {
  readonly #clock: Clock
  readonly #most: number
  readonly #aSecond: number
  #tokens: number
  #filledAt: number

  constructor(clock: Clock, { most, aSecond }: { readonly most: number; readonly aSecond: number }) {
    this.#clock = clock
    this.#most = most
    this.#aSecond = aSecond
    this.#tokens = most
    this.#filledAt = monotonicNow(clock)
  }

  /** Takes a token, if there is one. */
  take(): boolean {
    const now = monotonicNow(this.#clock)
    // A clock without monotonic time may be set back.
    const seconds = Math.max(0, now - this.#filledAt) / 1_000
    this.#filledAt = now
    this.#tokens = Math.min(this.#most, this.#tokens + seconds * this.#aSecond)
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /** Gives a token back that was taken. */
  giveBack(): void {
    this.#tokens = Math.min(this.#most, this.#tokens + 1)
  }
}
