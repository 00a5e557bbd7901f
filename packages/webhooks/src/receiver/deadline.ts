import { type Clock, RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import { setAlarm } from './alarm.ts'

/** How long the receiver takes to answer at most. The service waits 10 s (contract §8); the margin is for the network. */
export const ANSWER_WITHIN_MS = RECEIVER_DEADLINE_MS - 2_000

/** The time by which an answer must leave, even if the work has not ended. */
export class Deadline {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** Cancels the deadline: the answer has left. */
  readonly cancel: () => void
  readonly #listeners: (() => void)[] = []
  #isPassed = false

  constructor(clock: Clock, ms: number) {
    this.at = clock.now() + ms
    this.cancel = setAlarm(clock, ms, () => {
      this.#isPassed = true
      for (const listener of this.#listeners) listener()
    })
  }

  /** Resolves when the deadline has passed. */
  get passed(): Promise<void> {
    return new Promise((resolve) => this.#onPassed(resolve))
  }

  /** Settles as `work` does, or with the result of `fallback` if the deadline passes first. */
  race<Result>(work: Promise<Result>, fallback: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject)
      this.#onPassed(() => resolve(fallback()))
    })
  }

  #onPassed(listener: () => void): void {
    if (this.#isPassed) listener()
    else this.#listeners.push(listener)
  }
}
