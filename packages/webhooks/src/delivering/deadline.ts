import { type Clock, monotonicNow } from '@notewire/protocol'
import { type Alarm, ANSWER_WITHIN_MS } from '../timing/timers.ts'

/** The time by which the receiver must answer a delivery, even if its work has not ended. */
export class Deadline {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly #endsAt: number
  readonly #alarm: Alarm
  #tell: (() => void) | undefined
  readonly #pass = (): void => this.#tell?.()

  constructor(clock: Clock, alarm: Alarm) {
    this.at = clock.now() + ANSWER_WITHIN_MS
    this.#endsAt = monotonicNow(clock) + ANSWER_WITHIN_MS
    this.#alarm = alarm
  }

  /** Resolves when the deadline has passed. Reading it starts a timer. Only the latest reader is told. */
  get passed(): Promise<void> {
    return new Promise((resolve) => this.#wake(resolve))
  }

  /** Settles as `work` does, or with `late` if the deadline passes first. */
  race<Result, Late>(work: Promise<Result>, late: Late): Promise<Result | Late> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject)
      this.#wake(() => resolve(late))
    })
  }

  /** Ends the timer. Call it when the delivery is answered. */
  cancel(): void {
    this.#alarm.clear(this.#pass)
  }

  #wake(listener: () => void): void {
    this.#tell = listener
    this.#alarm.set(this.#pass, this.#endsAt)
  }
}
