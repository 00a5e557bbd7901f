import { systemClock } from '@notewire/protocol'
import { Activity } from './activity.ts'
import type { Appointment } from './agenda.ts'
import { Calendar, type Purpose } from './calendar.ts'
import { ClockError } from './clock-error.ts'
import { type Duration, durationMs } from './duration.ts'
import { nextTurn, setAlarm } from './event-loop.ts'
import { CLOCK_START, type ClockMode, type ServiceClock } from './service-clock.ts'

/** For how long, in milliseconds of the machine's time, an attempt in flight in which nothing happens stops virtual time. */
const PATIENCE_MS = 1000

/** Something scheduled that can still be called off. */
export interface Cancellable {
  cancel(): void
}

/** The {@link ServiceClock}, with what the service itself needs of it: work that falls due, and attempts that hold time. */
export class Timeline implements ServiceClock {
  readonly #calendar = new Calendar()
  readonly #activity = new Activity()
  readonly #closing = Promise.withResolvers<void>()
  #mode: ClockMode
  #instant = CLOCK_START
  #inFlight = 0
  #closed = false
  #starting: Promise<void> | undefined
  #lastDrive = Promise.resolve()
  #alarm: { readonly at: number; readonly silence: () => void } | undefined

  constructor(mode: ClockMode) {
    this.#mode = mode
  }

  get mode(): ClockMode {
    return this.#mode
  }

  now(): number {
    return this.#mode === 'real' ? systemClock.now() : this.#instant
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const appointment = this.#add('sleep', ms, this.nextRank(), () => {
        signal?.removeEventListener('abort', wakeEarly)
        resolve()
      })
      const wakeEarly = () => {
        this.#calendar.cancel('sleep', appointment)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', wakeEarly, { once: true })
    })
  }

  /** A place among whatever falls due at the same instant: behind everything ranked before. */
  nextRank(): number {
    return this.#calendar.nextRank()
  }

  /** Lets the service do something after a while. Nothing more happens once the service is closed. */
  schedule(ms: number, act: () => void, rank = this.nextRank()): Cancellable {
    const appointment = this.#add('work', ms, rank, act)
    return {
      cancel: () => {
        this.#calendar.cancel('work', appointment)
        this.noteActivity()
      },
    }
  }

  /** Holds virtual time, and `settled()`, while an attempt is in flight. */
  async holdWhile(attempt: Promise<void>): Promise<void> {
    this.#inFlight += 1
    try {
      await attempt
    } finally {
      this.#inFlight -= 1
      this.noteActivity()
    }
  }

  /** Says that something happened, so that patience with the attempts in flight starts anew. */
  noteActivity(): void {
    this.#activity.note()
  }

  async advance(duration: Duration): Promise<void> {
    if (this.#mode === 'real') throw new ClockError()
    const ms = durationMs(duration)
    await this.#inTurn(async () => {
      const target = this.#instant + Math.ceil(ms)
      do await this.#quiet()
      while (this.#moveOn(target))
      this.#instant = target
    })
  }

  /** Resolves when the service has nothing left to do and nothing in flight, moving virtual time on as far as that takes. */
  async settled(): Promise<void> {
    if (this.#mode === 'virtual') {
      await this.#inTurn(async () => {
        do await this.#quiet()
        while (this.#isBusy && this.#moveOn(Number.POSITIVE_INFINITY))
      })
    }
    while (this.#isBusy && !this.#closed) await this.#activity.next
  }

  /** Resolves with `event`, moving virtual time on only as far as attempts in flight that hang make it necessary. */
  async until(event: Promise<void>): Promise<void> {
    await this.#moveOnUntil(event, () => this.#inFlight > 0)
  }

  /** Waits, as a sleep does. Virtual time moves on by itself as far as that takes, when nobody else moves it. */
  async pass(ms: number): Promise<void> {
    await this.#moveOnUntil(this.sleep(ms), () => true)
  }

  /** Follows the machine from now on. What was due in a minute still is. */
  turnReal(): void {
    if (this.#mode === 'real') return
    this.#calendar.shift(systemClock.now() - this.#instant)
    this.#mode = 'real'
    this.#setAlarm()
  }

  /** Forgets everything that was to happen. */
  close(): void {
    this.#closed = true
    this.#calendar.clear()
    this.#alarm?.silence()
    this.#closing.resolve()
    this.noteActivity()
  }

  get #isBusy(): boolean {
    return this.#calendar.hasWork || this.#inFlight > 0
  }

  #add(purpose: Purpose, ms: number, rank: number, act: () => void): Appointment {
    // Whole milliseconds, as everybody's clocks have them: whoever adds jitter sleeps for fractions.
    const appointment = this.#calendar.add(purpose, this.now() + Math.ceil(Math.max(0, ms)), rank, act)
    if (this.#closed) this.#calendar.cancel(purpose, appointment)
    else this.#setAlarm()
    return appointment
  }

  /** What is due now starts by itself; what is due later does under real time alone. */
  #setAlarm(): void {
    const at = this.#calendar.nextAt()
    if (at === undefined || this.#closed) return
    const waitMs = at - this.now()
    if (this.#mode === 'virtual' && waitMs > 0) return
    if (this.#alarm !== undefined && this.#alarm.at <= at) return
    this.#alarm?.silence()
    const silence = setAlarm(waitMs, () => {
      this.#alarm = undefined
      void this.#startDue().then(() => this.#setAlarm())
    })
    this.#alarm = { at, silence }
  }

  #startDue(): Promise<void> {
    this.#starting ??= this.#startEachDue().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async #startEachDue(): Promise<void> {
    while ((this.#calendar.nextAt() ?? Number.POSITIVE_INFINITY) <= this.now()) {
      // Whoever slept goes on before anything else does.
      if (this.#calendar.keepNext() === 'sleep') await nextTurn()
    }
    this.noteActivity()
  }

  async #moveOnUntil(event: Promise<void>, isNecessary: () => boolean): Promise<void> {
    let happened = false
    const watched = event.then(() => {
      happened = true
    })
    if (this.#mode === 'virtual') {
      void this.#inTurn(async () => {
        do await this.#quiet()
        while (!happened && isNecessary() && this.#moveOn(Number.POSITIVE_INFINITY))
      })
    }
    await Promise.race([watched, this.#closing.promise])
  }

  /** One after the other: two movers of one time would each miss what the other runs. */
  #inTurn(drive: () => Promise<void>): Promise<void> {
    const driven = this.#lastDrive.then(drive)
    this.#lastDrive = driven
    return driven
  }

  /** Resolves when everything due now has started and nothing is in flight, or nothing happens in what is. */
  async #quiet(): Promise<void> {
    do {
      await nextTurn()
      await this.#startDue()
    } while (this.#inFlight > 0 && !this.#closed && (await this.#somethingHappens()))
  }

  async #somethingHappens(): Promise<boolean> {
    const before = this.#activity.count
    await this.#activity.nextWithin(this.#patienceMs())
    await nextTurn()
    await this.#starting
    return this.#activity.count > before
  }

  /** A sleeper in an attempt waits no longer than under real time. */
  #patienceMs(): number {
    const sleepMs = (this.#calendar.nextAt('sleep') ?? Number.POSITIVE_INFINITY) - this.#instant
    return Math.min(PATIENCE_MS, sleepMs)
  }

  /** @returns whether anything falls due up to `limit` */
  #moveOn(limit: number): boolean {
    const at = this.#calendar.nextAt()
    if (at === undefined || at > limit || this.#mode === 'real') return false
    this.#instant = Math.max(this.#instant, at)
    return true
  }
}
