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
 * The time by which the receiver must answer a delivery, even if its work has not ended. Only one call can wait for it at a time. Its timer
 * starts when something first waits for it: most deliveries are answered at once and need none.
 */
export class Deadline {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly #clock: Clock
  readonly #endsAt: number
  #cancelTimer: (() => void) | undefined
  #isPassed = false
  #onPassed: (() => void) | undefined

  constructor(clock: Clock) {
    this.at = clock.now() + ANSWER_WITHIN_MS
    this.#clock = clock
    this.#endsAt = monotonicNow(clock) + ANSWER_WITHIN_MS
  }

  /** Cancels the timer. Call it when the delivery is answered. */
  cancel(): void {
    this.#cancelTimer?.()
  }

  /** Resolves when the deadline has passed. */
  get passed(): Promise<void> {
    return new Promise((resolve) => this.#wake(resolve))
  }

  /** Settles as `work` does, or with `late` if the deadline passes first. */
  race<Result, Late>(work: PromiseLike<Result>, late: Late): Promise<Result | Late> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject)
      this.#wake(() => resolve(late))
    })
  }

  #wake(listener: () => void): void {
    const leftMs = this.#endsAt - monotonicNow(this.#clock)
    this.#cancelTimer ??= setTimer(this.#clock, Math.max(0, leftMs), () => {
      this.#isPassed = true
      this.#onPassed?.()
    })
    if (this.#isPassed) listener()
    else this.#onPassed = listener
  }
}
