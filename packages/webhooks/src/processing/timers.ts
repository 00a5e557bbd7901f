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

/** The timer of a delivery. It wakes at the next of its moments: the renewal of the lease, the answer, the end of patience. */
export class Alarm {
  readonly #clock: Clock
  readonly #moments = new Map<() => void, number>()
  #wakesAt = Number.POSITIVE_INFINITY
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `callback` once at a time of `monotonicNow`, or at once if it has passed. A callback that is set again is moved. */
  set(callback: () => void, at: number): void {
    this.#moments.set(callback, at)
    if (at < this.#wakesAt) this.#wakeAt(at)
  }

  /** A timer without a moment would keep the process alive. */
  clear(callback: () => void): void {
    this.#moments.delete(callback)
    if (this.#moments.size === 0) this.#wakeAt(Number.POSITIVE_INFINITY)
  }

  #wakeAt(at: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#wakesAt = at
    if (at === Number.POSITIVE_INFINITY) return
    const leftMs = Math.max(0, at - monotonicNow(this.#clock))
    this.#cancelTimer = setTimer(this.#clock, leftMs, () => this.#wake())
  }

  #wake(): void {
    const now = monotonicNow(this.#clock)
    for (const [callback, at] of [...this.#moments]) {
      // An earlier callback may have cleared or moved this one.
      if (at > now || this.#moments.get(callback) !== at) continue
      this.#moments.delete(callback)
      callback()
    }
    this.#wakeAt(Math.min(...this.#moments.values()))
  }
}
