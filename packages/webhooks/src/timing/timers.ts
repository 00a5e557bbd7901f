import { type Clock, monotonicNow, RECEIVER_DEADLINE_MS, systemClock } from '@notewire/protocol'

/** How long the receiver takes to answer at most. The service waits 10 s (contract §8); the margin is for the network. */
export const ANSWER_WITHIN_MS = RECEIVER_DEADLINE_MS - 2_000

/**
 * Calls `callback` after `ms` milliseconds of the clock's time.
 *
 * @returns cancels the call
 */
export function setTimer(clock: Clock, ms: number, callback: () => void): () => void {
  // A `sleep` with a signal costs ten times as much.
  if (clock === systemClock) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  }
  const canceled = new AbortController()
  clock.sleep(ms, canceled.signal).then(
    () => canceled.signal.aborted || callback(),
    () => undefined,
  )
  // With a reason, because `abort` without one creates an exception with a stack.
  return () => canceled.abort('canceled')
}

/** Resolves when `work` has resolved, or after `ms` milliseconds of the clock's time. `work` never rejects. */
export function waitAtMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = setTimer(clock, ms, resolve)
    void work.then(() => {
      cancelTimer()
      resolve()
    })
  })
}

/**
 * The longest that an alarm sleeps at once. The first renewal of a lease comes no sooner after its delivery, so that the timer which waits for
 * the deadline need not be started anew for it.
 */
const LONGEST_SLEEP_MS = 5_000

interface Moment {
  readonly callback: () => void
  at: number
}

/**
 * The timer of a delivery. It wakes at the next of its moments: the renewal of the lease, the answer, the end of patience.
 *
 * Not shared by deliveries: a timer calls back in the async context of the code that started it, so the lease of one event would be renewed with
 * the trace, or the customer, of another. And on Workers, a timer ends with its request.
 */
export class Alarm {
  readonly #clock: Clock
  // Not a `Map`, which takes ten times the memory of these two or three entries.
  readonly #moments: Moment[] = []
  #wakesAt = Number.POSITIVE_INFINITY
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `callback` once at a time of `monotonicNow`, or at once if it has passed. A callback that is set again is moved. */
  set(callback: () => void, at: number): void {
    const moment = this.#moments.find((each) => each.callback === callback)
    if (moment === undefined) this.#moments.push({ callback, at })
    else moment.at = at
    if (at < this.#wakesAt) this.#sleepUntil(at)
  }

  /** A timer without a moment would keep the process alive. */
  clear(callback: () => void): void {
    const index = this.#moments.findIndex((each) => each.callback === callback)
    if (index !== -1) this.#moments.splice(index, 1)
    if (this.#moments.length === 0) this.#sleepUntil(Number.POSITIVE_INFINITY)
  }

  #sleepUntil(at: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#wakesAt = at
    if (at === Number.POSITIVE_INFINITY) return
    const now = monotonicNow(this.#clock)
    const sleepMs = Math.min(Math.max(0, at - now), LONGEST_SLEEP_MS)
    this.#wakesAt = now + sleepMs
    this.#cancelTimer = setTimer(this.#clock, sleepMs, () => this.#wake())
  }

  #wake(): void {
    const now = monotonicNow(this.#clock)
    for (const moment of [...this.#moments]) {
      // An earlier callback may have cleared or moved this one.
      if (moment.at > now || !this.#moments.includes(moment)) continue
      this.clear(moment.callback)
      moment.callback()
    }
    this.#sleepUntil(Math.min(...this.#moments.map(({ at }) => at)))
  }
}
