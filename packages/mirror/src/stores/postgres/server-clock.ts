import { type Clock, monotonicNow, systemClock } from '@notewire/protocol'

/**
 * The clock of the database server, as of its latest response. Between two responses it counts on, without regard to the clock of this machine. So
 * all processes of a database work by one clock, even if those of their machines differ.
 */
export class ServerClock implements Clock {
  readonly sleep = systemClock.sleep
  readonly monotonic = () => monotonicNow(systemClock)
  /** How much the server's time is ahead of `monotonic`. Before the first response, that of this machine. */
  #aheadMs = systemClock.now() - this.monotonic()

  now(): number {
    return Math.floor(this.monotonic() + this.#aheadMs)
  }

  /**
   * Sets the clock by a response. It leaves the clock as it is if its time lies between the request and the response: a slow response says less
   * than the one before it.
   *
   * @param serverTime  what the server's clock showed, in milliseconds since the Unix epoch
   * @param askedAt  when the request was sent, by `monotonic`
   */
  setBy(serverTime: number, askedAt: number): void {
    const least = serverTime - this.monotonic()
    const most = serverTime - askedAt
    if (this.#aheadMs < least) this.#aheadMs = least
    if (this.#aheadMs > most) this.#aheadMs = most
  }
}
