import { type Clock, monotonicNow } from '@notewire/protocol'
import { ANSWER_WITHIN_MS, setTimer } from '../timing/timers.ts'

/** How many calls of the user's function `secretOf` run at once. */
export const MAX_RUNNING = 32
/** How many calls wait in each queue. One that finds its queue full is refused. */
export const MAX_WAITING = 10_000
/** How long a call waits for its turn. */
export const MAX_WAIT_MS = 2_000
/** How long a call counts as running. One that hangs for longer is given up, and no longer keeps others from running. */
const MAX_RUN_MS = ANSWER_WITHIN_MS

interface Run {
  readonly beganAt: number
  readonly givenUp: Promise<undefined>
  giveUp(value: undefined): void
}

/** The calls that wait for their turn, by what starts them. */
type Queue = Set<(run: Run | undefined) => void>

/**
 * Limits how many lookups of secrets run at once. Others wait in two queues: those of integrations that exist, which come first, and those
 * that a forged request can cause. A rate limit cannot take its place: before the lookup, nothing tells the two kinds of ids apart.
 */
export class LookupLimit {
  readonly #clock: Clock
  /** The oldest first. */
  readonly #running = new Set<Run>()
  readonly #first: Queue = new Set()
  readonly #others: Queue = new Set()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Calls `lookUp`: at once if fewer than {@link MAX_RUNNING} run.
   *
   * @returns `undefined` if it was not called, because the queue was full or its turn did not come in time, or if it hung and was given up
   */
  async run<Result>(queue: 'first' | 'others', lookUp: () => Promise<Result>): Promise<Result | undefined> {
    this.#startWaiting()
    const run = this.#begin() ?? (await this.#turnIn(queue === 'first' ? this.#first : this.#others))
    if (run === undefined) return undefined
    try {
      return await Promise.race([lookUp(), run.givenUp])
    } finally {
      this.#running.delete(run)
      this.#startWaiting()
    }
  }

  #begin(): Run | undefined {
    if (this.#running.size >= MAX_RUNNING) return undefined
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const run = { beganAt: monotonicNow(this.#clock), givenUp: promise, giveUp: resolve }
    this.#running.add(run)
    return run
  }

  /** Each call starts and ends its own timer: a Worker must not use the timers of another request. */
  async #turnIn(queue: Queue): Promise<Run | undefined> {
    if (queue.size >= MAX_WAITING) return undefined
    let cancelTimer = (): void => undefined
    const turn = new Promise<Run | undefined>((start) => {
      queue.add(start)
      cancelTimer = setTimer(this.#clock, MAX_WAIT_MS, () => {
        this.#startWaiting()
        queue.delete(start)
        start(undefined)
      })
    })
    const run = await turn
    cancelTimer()
    return run
  }

  #startWaiting(): void {
    this.#endHanging()
    for (const queue of [this.#first, this.#others]) {
      for (const start of queue) {
        const run = this.#begin()
        if (run === undefined) return
        queue.delete(start)
        start(run)
      }
    }
  }

  #endHanging(): void {
    const now = monotonicNow(this.#clock)
    for (const run of this.#running) {
      // A clock without monotonic time may be set back: the run then counts as too long.
      if (now >= run.beganAt && now - run.beganAt < MAX_RUN_MS) return
      this.#running.delete(run)
      run.giveUp(undefined)
    }
  }
}
