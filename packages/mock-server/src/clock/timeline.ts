import { systemClock } from '@notewire/protocol'
import { MockServerError } from '../errors/mock-server-error.ts'
import { DueTimers } from './due-timers.ts'
import { type Duration, durationMs } from './duration.ts'
import { Activity, nextTurn } from './event-loop.ts'
import { CLOCK_START, type ClockMode, type ServiceClock } from './service-clock.ts'
import { type Purpose, type Timer, TimerQueue } from './timer-queue.ts'

/**
 * How long an attempt in flight stops virtual time while nothing happens, in milliseconds of the machine's time. After that, the
 * receiver counts as hanging.
 */
const HANG_TIMEOUT_MS = 1000
/** The wait is split into slices, so that a pause of the whole machine uses up only one of them. */
const SLICE_MS = 100

export interface Cancellable {
  cancel(): void
}

/** The {@link ServiceClock}, with the methods that only the service uses: scheduled work, and attempts in flight. */
export class Timeline implements ServiceClock {
  readonly #timers = new TimerQueue()
  readonly #due = new DueTimers(this.#timers, this, () => this.recordActivity())
  readonly #activity = new Activity()
  readonly #closing = Promise.withResolvers<void>()
  #mode: ClockMode
  #virtualNow = CLOCK_START
  #inFlight = 0
  #closed = false
  #lastAdvance = Promise.resolve()

  constructor(mode: ClockMode) {
    this.#mode = mode
  }

  get mode(): ClockMode {
    return this.#mode
  }

  now(): number {
    return this.#mode === 'real' ? systemClock.now() : this.#virtualNow
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const timer = this.#add('sleep', ms, this.nextRank(), () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      const onAbort = () => {
        this.#timers.cancel(timer)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** A rank after every earlier rank, for work at the same instant. */
  nextRank(): number {
    return this.#timers.nextRank()
  }

  /** Schedules work of the service. A closed service does no more work. */
  schedule(ms: number, run: () => void, rank = this.nextRank()): Cancellable {
    const timer = this.#add('work', ms, rank, run)
    return {
      cancel: () => {
        this.#timers.cancel(timer)
        this.recordActivity()
      },
    }
  }

  /** Stops virtual time, and delays `settled()`, while an attempt is in flight. */
  async trackInFlight(attempt: Promise<unknown>): Promise<void> {
    this.#inFlight += 1
    try {
      await attempt
    } finally {
      this.#inFlight -= 1
      this.recordActivity()
    }
  }

  /** Reports that something happened, which restarts the wait for the attempts in flight. */
  recordActivity(): void {
    this.#activity.record()
  }

  async advance(duration: Duration): Promise<void> {
    if (this.#mode === 'real') throw notVirtual()
    const ms = durationMs(duration)
    await this.#oneAtATime(async () => {
      const target = this.#virtualNow + Math.ceil(ms)
      do await this.#idle()
      while (this.#advanceToNextTimer(target))
      this.#virtualNow = target
    })
  }

  /** Resolves when no work is scheduled and nothing is in flight. Virtual time advances as far as necessary. */
  async settled(): Promise<void> {
    if (this.#mode === 'virtual') {
      await this.#oneAtATime(async () => {
        do await this.#idle()
        while (this.#isBusy && this.#advanceToNextTimer())
      })
    }
    while (this.#isBusy && !this.#closed) await this.#activity.next
  }

  /** Resolves with `event`. Virtual time advances only while an attempt in flight does not answer. */
  async until(event: Promise<void>): Promise<void> {
    await this.#advanceUntil(event, () => this.#inFlight > 0)
  }

  /** Sleeps. Virtual time advances by itself as far as necessary. */
  async sleepAndAdvance(ms: number): Promise<void> {
    await this.#advanceUntil(this.sleep(ms), () => true)
  }

  /** Follows the machine's clock from now on. The remaining time of every timer stays the same. */
  switchToReal(): void {
    if (this.#mode === 'real') return
    this.#timers.shift(systemClock.now() - this.#virtualNow)
    this.#mode = 'real'
    this.#due.scheduleWakeUp()
  }

  /** @throws {@link MockServerError} `service_closed` */
  requireOpen(): void {
    if (!this.#closed) return
    throw new MockServerError(
      'service_closed',
      'the service is closed',
      'Create another service, and close it after its last act.',
    )
  }

  close(): void {
    this.#closed = true
    this.#timers.clear()
    this.#due.stop()
    this.#closing.resolve()
    this.recordActivity()
  }

  get #isBusy(): boolean {
    return this.#timers.has('work') || this.#inFlight > 0
  }

  #add(purpose: Purpose, ms: number, rank: number, run: () => void): Timer {
    // Whole milliseconds, as in other clocks, because a sleep with jitter may have a fraction.
    const at = this.now() + Math.ceil(Math.max(0, ms))
    const timer = this.#timers.add({ purpose, at, rank, run })
    if (this.#closed) this.#timers.cancel(timer)
    else this.#due.scheduleWakeUp()
    return timer
  }

  async #advanceUntil(event: Promise<void>, mayAdvance: () => boolean): Promise<void> {
    let happened = false
    const watched = event.then(() => {
      happened = true
    })
    if (this.#mode === 'virtual') {
      void this.#oneAtATime(async () => {
        do await this.#idle()
        while (!happened && mayAdvance() && this.#advanceToNextTimer())
      })
    }
    await Promise.race([watched, this.#closing.promise])
  }

  /** Serialises the calls that advance virtual time, because each must see the work that the others start. */
  #oneAtATime(advance: () => Promise<void>): Promise<void> {
    const advanced = this.#lastAdvance.then(advance)
    this.#lastAdvance = advanced
    return advanced
  }

  /** Resolves when everything due now has started, and no attempt is in flight except those that hang. */
  async #idle(): Promise<void> {
    do {
      await nextTurn()
      await this.#due.run()
    } while (this.#inFlight > 0 && !this.#closed && (await this.#somethingHappens()))
  }

  async #somethingHappens(): Promise<boolean> {
    const before = this.#activity.count
    let leftMs = this.#hangTimeoutMs()
    do {
      await this.#activity.nextWithin(Math.min(SLICE_MS, leftMs))
      await nextTurn()
      await this.#due.running
      leftMs -= SLICE_MS
    } while (leftMs > 0 && this.#activity.count === before)
    return this.#activity.count > before
  }

  /** A handler that sleeps on this clock waits no longer than under real time. */
  #hangTimeoutMs(): number {
    const sleepMs = (this.#timers.nextAt('sleep') ?? Number.POSITIVE_INFINITY) - this.#virtualNow
    return Math.min(HANG_TIMEOUT_MS, sleepMs)
  }

  /** @returns whether a timer is due up to `limit` */
  #advanceToNextTimer(limit = Number.POSITIVE_INFINITY): boolean {
    const at = this.#timers.nextAt()
    if (at === undefined || at > limit || this.#mode === 'real') return false
    this.#virtualNow = Math.max(this.#virtualNow, at)
    return true
  }
}

function notVirtual(): MockServerError {
  const problem = "the service follows the machine's clock, which cannot be advanced"
  const remedy = "Create the service with clock: 'virtual', which also holds after listen()."
  return new MockServerError('clock_not_virtual', problem, remedy)
}
