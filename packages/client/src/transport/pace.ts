import type { Clock } from '@notewire/protocol'
import { rateLimitOf } from './rate-limit.ts'
import { LONGEST_PAUSE_MS } from './retry-pause.ts'

/**
 * Keeps the client within the rate limit that the service announces: when nothing of it is left, requests wait for the
 * reset instead of running into a 429. A service that announces none is never waited for.
 */
export class Pace {
  readonly #clock: Clock
  #remaining = Number.POSITIVE_INFINITY
  #resetAt = 0
  #underWay = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Waits until a request may go. A turn that would come after the deadline is not waited for: then the service says
   * itself what it thinks of the request.
   *
   * @returns how long it waited, in milliseconds
   */
  async takeTurn(deadline: number, signal: AbortSignal | undefined): Promise<number> {
    const now = this.#clock.now()
    const dueMs = this.#remaining > 0 ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(0, this.#resetAt - now))
    const waitMs = now + dueMs < deadline ? dueMs : 0
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal)
    this.#underWay += 1
    this.#remaining -= 1
    return waitMs
  }

  /** The request has ended, with these headers if an answer came. */
  endTurn(headers: Headers | undefined): void {
    this.#underWay -= 1
    const limit = headers && rateLimitOf(headers)
    if (limit === undefined) return
    // Nobody knows which of the requests under way the service has counted already.
    this.#remaining = limit.remaining - this.#underWay
    this.#resetAt = this.#clock.now() + limit.resetMs
  }
}
