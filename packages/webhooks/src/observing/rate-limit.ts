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

/** The maximum number of limits. Beyond it, the oldest one is dropped, and begins again when it is needed. */
export const MAX_LIMITS = 10_000

/** A {@link RateLimit} for each reason in each integration, so that a flood at one integration hides nothing of another. */
export class RateLimits {
  readonly #limits = new Map<string, RateLimit>()
  readonly #newLimit: () => RateLimit

  constructor(...limit: ConstructorParameters<typeof RateLimit>) {
    this.#newLimit = () => new RateLimit(...limit)
  }

  /**
   * As {@link RateLimit.admit}.
   *
   * @param integration  `undefined` for all integrations that the receiver does not know: they share one limit for each reason
   */
  admit(integration: string | undefined, reason: string): number | undefined {
    // The id of an integration contains no space.
    const key = `${integration ?? ''} ${reason}`
    const known = this.#limits.get(key)
    if (known !== undefined) return known.admit()
    const [oldest] = this.#limits.keys()
    if (oldest !== undefined && this.#limits.size >= MAX_LIMITS) this.#limits.delete(oldest)
    const limit = this.#newLimit()
    this.#limits.set(key, limit)
    return limit.admit()
  }
}
