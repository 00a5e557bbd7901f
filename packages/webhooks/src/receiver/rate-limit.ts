import { type Clock, monotonicNow } from '@notewire/protocol'

/** Admits at most `maxCalls` calls in each window of `windowMs` milliseconds. A window begins with its first call. */
export class RateLimit {
  readonly #clock: Clock
  readonly #maxCalls: number
  readonly #windowMs: number
  #beganAt: number | undefined
  #admitted = 0
  #suppressed = 0

  constructor(clock: Clock, { maxCalls, windowMs }: { readonly maxCalls: number; readonly windowMs: number }) {
    this.#clock = clock
    this.#maxCalls = maxCalls
    this.#windowMs = windowMs
  }

  /** @returns how many calls were refused since the last admitted one; `undefined` if this call is refused */
  admit(): number | undefined {
    const now = monotonicNow(this.#clock)
    // A clock without monotonic time may be set back. The window then begins again.
    if (this.#beganAt === undefined || now < this.#beganAt || now - this.#beganAt >= this.#windowMs) {
      this.#beganAt = now
      this.#admitted = 0
    }
    if (this.#admitted === this.#maxCalls) {
      this.#suppressed += 1
      return undefined
    }
    this.#admitted += 1
    const suppressed = this.#suppressed
    this.#suppressed = 0
    return suppressed
  }
}

/** A {@link RateLimit} for each key. The limits are never removed, so the number of keys must be bounded. */
export class RateLimits<Key> {
  readonly #limits = new Map<Key, RateLimit>()
  readonly #newLimit: () => RateLimit

  constructor(...limit: ConstructorParameters<typeof RateLimit>) {
    this.#newLimit = () => new RateLimit(...limit)
  }

  /** As {@link RateLimit.admit}. */
  admit(key: Key): number | undefined {
    const limit = this.#limits.get(key) ?? this.#newLimit()
    this.#limits.set(key, limit)
    return limit.admit()
  }
}
