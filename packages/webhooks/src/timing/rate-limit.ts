import { type Clock, monotonicNow } from '@notewire/protocol'

/** Admits at most `maxCalls` calls in each window of `windowMs` milliseconds. A window begins with its first call. */
export class RateLimit {
  readonly #clock: Clock
  readonly #limit: Limit
  #beganAt: number | undefined
  #admitted = 0
  #suppressed = 0

  constructor(clock: Clock, limit: Limit) {
    this.#clock = clock
    this.#limit = limit
  }

  /** @returns how many calls were refused since the last admitted one; `undefined` if this call is refused */
  admit(): number | undefined {
    const { maxCalls, windowMs } = this.#limit
    const now = monotonicNow(this.#clock)
    // A clock without monotonic time may be set back. The window then begins again.
    if (this.#beganAt === undefined || now < this.#beganAt || now - this.#beganAt >= windowMs) {
      this.#beganAt = now
      this.#admitted = 0
    }
    const isAdmitted = this.#admitted < maxCalls
    const suppressed = this.#suppressed
    this.#admitted += Number(isAdmitted)
    this.#suppressed = isAdmitted ? 0 : suppressed + 1
    return isAdmitted ? suppressed : undefined
  }
}

interface Limit {
  readonly maxCalls: number
  readonly windowMs: number
}

/** The maximum number of limits. Beyond it, the oldest one is dropped, and begins again when it is needed. */
export const MAX_LIMITS = 10_000

/** A {@link RateLimit} for each reason in each integration, so that a flood at one integration hides nothing of another. */
export class RateLimits {
  readonly #limits = new Map<string, RateLimit>()
  readonly #newLimit: () => RateLimit

  constructor(clock: Clock, limit: Limit) {
    this.#newLimit = () => new RateLimit(clock, limit)
  }

  /**
   * As {@link RateLimit.admit}.
   *
   * @param integration  `undefined` for all integrations that the receiver does not know: they share one limit for each reason
   */
  admit(integration: string | undefined, reason: string): number | undefined {
    // The id of an integration contains no space.
    const key = `${integration ?? ''} ${reason}`
    const limit = this.#limits.get(key) ?? this.#newLimit()
    const [oldest] = this.#limits.keys()
    if (oldest !== undefined && this.#limits.size >= MAX_LIMITS && !this.#limits.has(key)) this.#limits.delete(oldest)
    this.#limits.set(key, limit)
    return limit.admit()
  }
}
