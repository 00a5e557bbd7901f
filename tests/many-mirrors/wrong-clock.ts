import type { Clock } from '@notewire/protocol'
import type { Random } from '../simulation/random.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A process's clock that shows a wrong time until it is set. Like that of a machine, it measures durations correctly. */
export class WrongClock implements Clock {
  readonly #right: Clock
  #aheadMs = 0
  #wasWrong = false

  constructor(right: Clock) {
    this.#right = right
  }

  now(): number {
    return this.#right.now() + this.#aheadMs
  }

  monotonic(): number {
    return this.#right.now()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#right.sleep(ms, signal)
  }

  /** Whether the clock has shown a wrong time, which what the process writes can still contain. */
  get wasWrong(): boolean {
    return this.#wasWrong
  }

  /** Sets the clock ahead or back, by minutes to years. */
  setWrong(random: Random): void {
    this.#wasWrong = true
    const unit = random.pick([MINUTE_MS, HOUR_MS, DAY_MS, 30 * DAY_MS, 365 * DAY_MS])
    this.#aheadMs = unit * random.integer(1, 12) * random.pick([1, -1])
  }

  setRight(): void {
    this.#aheadMs = 0
  }
}
