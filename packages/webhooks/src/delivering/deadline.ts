import { type Clock, monotonicNow } from '@notewire/protocol'
import type { Alarm } from '../processing/alarm.ts'
import { ANSWER_WITHIN_MS } from '../processing/timers.ts'

/** The time by which the receiver must answer a delivery, even if its work has not ended. */
export class Deadline {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly #endsAt: number
  readonly #alarm: Alarm
  #passed: Promise<void> | undefined
  #pass: () => void = () => undefined

  constructor(clock: Clock, alarm: Alarm) {
    this.at = clock.now() + ANSWER_WITHIN_MS
    this.#endsAt = monotonicNow(clock) + ANSWER_WITHIN_MS
    this.#alarm = alarm
  }

  /** Resolves when the deadline has passed. Reading it starts a timer. */
  get passed(): Promise<void> {
    this.#passed ??= new Promise((resolve) => {
      this.#pass = resolve
      this.#alarm.set(resolve, this.#endsAt)
    })
    return this.#passed
  }

  /** Settles as `work` does, or with `late` if the deadline passes first. */
  async race<Result, Late>(work: Promise<Result>, late: Late): Promise<Result | Late> {
    return await Promise.race([work, this.passed.then(() => late)])
  }

  /** Ends the timer. Call it when the delivery is answered. */
  cancel(): void {
    this.#alarm.clear(this.#pass)
  }
}
