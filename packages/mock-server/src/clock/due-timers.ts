import { nextTurn, startTimer } from './event-loop.ts'
import type { ClockMode } from './service-clock.ts'
import type { TimerQueue } from './timer-queue.ts'

interface Time {
  readonly mode: ClockMode
  now(): number
}

/** Runs the timers of a queue that are due, by a timer of the machine. */
export class DueTimers {
  readonly #queue: TimerQueue
  readonly #time: Time
  readonly #onRun: () => void
  #isStopped = false
  #running: Promise<void> | undefined
  /** The machine's timer for the next due timer of the queue. */
  #wakeUp: { readonly at: number; readonly cancel: () => void } | undefined

  /** @param onRun  called after all due timers have run */
  constructor(queue: TimerQueue, time: Time, onRun: () => void) {
    this.#queue = queue
    this.#time = time
    this.#onRun = onRun
  }

  /** Starts a machine timer for the next timer of the queue: under virtual time only if it is due now. */
  scheduleWakeUp(): void {
    const at = this.#queue.nextAt()
    if (at === undefined || this.#isStopped) return
    const waitMs = at - this.#time.now()
    if (this.#time.mode === 'virtual' && waitMs > 0) return
    if (this.#wakeUp !== undefined && this.#wakeUp.at <= at) return
    this.#wakeUp?.cancel()
    const cancel = startTimer(waitMs, () => {
      this.#wakeUp = undefined
      void this.run().then(() => this.scheduleWakeUp())
    })
    this.#wakeUp = { at, cancel }
  }

  /** Resolves when the due timers that are running have run. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  run(): Promise<void> {
    this.#running ??= this.#runEach().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #runEach(): Promise<void> {
    while ((this.#queue.nextAt() ?? Number.POSITIVE_INFINITY) <= this.#time.now()) {
      // The caller that slept continues before anything else runs.
      if (this.#queue.runNext() === 'sleep') await nextTurn()
    }
    this.#onRun()
  }

  stop(): void {
    this.#isStopped = true
    this.#wakeUp?.cancel()
  }
}
