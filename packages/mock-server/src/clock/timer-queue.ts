/** The purpose of a timer: work of the service, or a sleep of its caller. */
export type Purpose = 'work' | 'sleep'

export interface Timer {
  readonly purpose: Purpose
  /** Milliseconds since the Unix epoch. */
  at: number
  /** Decides between timers at the same instant: the lower rank comes first. */
  readonly rank: number
  readonly run: () => void
}

/** Timers in order of time. */
export class TimerQueue {
  #timers: Timer[] = []
  #rank = 0

  /** A rank after every earlier rank, for timers at the same instant. */
  nextRank(): number {
    this.#rank += 1
    return this.#rank
  }

  has(purpose: Purpose): boolean {
    return this.#timers.some((each) => each.purpose === purpose)
  }

  /** When the next timer is due, for one purpose or for any. */
  nextAt(purpose?: Purpose): number | undefined {
    return this.#timers.find((each) => purpose === undefined || each.purpose === purpose)?.at
  }

  add(timer: Timer): Timer {
    const { at, rank } = timer
    const before = this.#timers.findLastIndex((each) => each.at < at || (each.at === at && each.rank < rank))
    this.#timers.splice(before + 1, 0, timer)
    return timer
  }

  /** Removes the next timer and runs it. @returns its purpose */
  runNext(): Purpose | undefined {
    const next = this.#timers.shift()
    next?.run()
    return next?.purpose
  }

  /** Removes a timer, if it has not run. */
  cancel(timer: Timer): void {
    const index = this.#timers.indexOf(timer)
    if (index >= 0) this.#timers.splice(index, 1)
  }

  /** Postpones every timer. */
  shift(ms: number): void {
    for (const timer of this.#timers) timer.at += ms
  }

  clear(): void {
    this.#timers = []
  }
}
