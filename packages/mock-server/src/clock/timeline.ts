import { systemClock } from '@notewire/protocol'
import { MockServerError } from '../errors/mock-server-error.ts'
import { Agenda, type Appointment, type Purpose } from './agenda.ts'
import { type Duration, durationMs } from './duration.ts'
import { Activity, nextTurn, setAlarm } from './event-loop.ts'
import { CLOCK_START, type ClockMode, type ServiceClock } from './service-clock.ts'

/** How long an attempt in flight stops virtual time while nothing happens, in milliseconds of the machine's time. */
const PATIENCE_MS = 1000
/** The wait is split into parts, so that a pause of the whole machine uses up only one of them. */
const PART_MS = 100

export interface Cancellable {
  cancel(): void
}

/** The {@link ServiceClock}, with the parts that only the service uses: scheduled work, and attempts that hold the time. */
export class Timeline implements ServiceClock {
  readonly #agenda = new Agenda()
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
        this.#agenda.cancel(appointment)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', wakeEarly, { once: true })
    })
  }

  /** A rank after every earlier rank, for appointments at the same instant. */
  nextRank(): number {
    return this.#agenda.nextRank()
  }

  /** Schedules work of the service. A closed service does no more work. */
  schedule(ms: number, act: () => void, rank = this.nextRank()): Cancellable {
    const appointment = this.#add('work', ms, rank, act)
    return {
      cancel: () => {
        this.#agenda.cancel(appointment)
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

  /** Reports that something happened, which restarts the wait for the attempts in flight. */
  noteActivity(): void {
    this.#activity.note()
  }

  async advance(duration: Duration): Promise<void> {
    if (this.#mode === 'real') throw notVirtual()
    const ms = durationMs(duration)
    await this.#inTurn(async () => {
      const target = this.#instant + Math.ceil(ms)
      do await this.#quiet()
      while (this.#moveOn(target))
      this.#instant = target
    })
  }

  /** Resolves when no work is scheduled and nothing is in flight. Virtual time advances as far as necessary. */
  async settled(): Promise<void> {
    if (this.#mode === 'virtual') {
      await this.#inTurn(async () => {
        do await this.#quiet()
        while (this.#isBusy && this.#moveOn(Number.POSITIVE_INFINITY))
      })
    }
    while (this.#isBusy && !this.#closed) await this.#activity.next
  }

  /** Resolves with `event`. Virtual time advances only while an attempt in flight does not answer. */
  async until(event: Promise<void>): Promise<void> {
    await this.#moveOnUntil(event, () => this.#inFlight > 0)
  }

  /** Sleeps. Virtual time advances by itself as far as necessary. */
  async pass(ms: number): Promise<void> {
    await this.#moveOnUntil(this.sleep(ms), () => true)
  }

  /** Follows the machine's clock from now on. The remaining time of every appointment stays the same. */
  turnReal(): void {
    if (this.#mode === 'real') return
    this.#agenda.shift(systemClock.now() - this.#instant)
    this.#mode = 'real'
    this.#setAlarm()
  }

  close(): void {
    this.#closed = true
    this.#agenda.clear()
    this.#alarm?.silence()
    this.#closing.resolve()
    this.noteActivity()
  }

  get #isBusy(): boolean {
    return this.#agenda.has('work') || this.#inFlight > 0
  }

  #add(purpose: Purpose, ms: number, rank: number, act: () => void): Appointment {
    // Whole milliseconds, as in other clocks, because a sleep with jitter may have a fraction.
    const at = this.now() + Math.ceil(Math.max(0, ms))
    const appointment = this.#agenda.add({ purpose, at, rank, act })
    if (this.#closed) this.#agenda.cancel(appointment)
    else this.#setAlarm()
    return appointment
  }

  /** Sets a timer for the next appointment: under virtual time only if it is due now. */
  #setAlarm(): void {
    const at = this.#agenda.nextAt()
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
    while ((this.#agenda.nextAt() ?? Number.POSITIVE_INFINITY) <= this.now()) {
      // The sleeper continues before anything else is done.
      if (this.#agenda.keepNext() === 'sleep') await nextTurn()
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

  /** Serialises the drivers of the virtual time, because each must see what the other starts. */
  #inTurn(drive: () => Promise<void>): Promise<void> {
    const driven = this.#lastDrive.then(drive)
    this.#lastDrive = driven
    return driven
  }

  /** Resolves when everything due now has started, and nothing is in flight or nothing happens in it. */
  async #quiet(): Promise<void> {
    do {
      await nextTurn()
      await this.#startDue()
    } while (this.#inFlight > 0 && !this.#closed && (await this.#somethingHappens()))
  }

  async #somethingHappens(): Promise<boolean> {
    const before = this.#activity.count
    let leftMs = this.#patienceMs()
    do {
      await this.#activity.nextWithin(Math.min(PART_MS, leftMs))
      await nextTurn()
      await this.#starting
      leftMs -= PART_MS
    } while (leftMs > 0 && this.#activity.count === before)
    return this.#activity.count > before
  }

  /** A handler that sleeps on this clock waits no longer than under real time. */
  #patienceMs(): number {
    const sleepMs = (this.#agenda.nextAt('sleep') ?? Number.POSITIVE_INFINITY) - this.#instant
    return Math.min(PATIENCE_MS, sleepMs)
  }

  /** @returns whether anything is due up to `limit` */
  #moveOn(limit: number): boolean {
    const at = this.#agenda.nextAt()
    if (at === undefined || at > limit || this.#mode === 'real') return false
    this.#instant = Math.max(this.#instant, at)
    return true
  }
}

function notVirtual(): MockServerError {
  const problem = "the service follows the machine's clock, which cannot be advanced"
  const remedy = "Create the service with clock: 'virtual', which also holds after listen()."
  return new MockServerError('clock_not_virtual', problem, remedy)
}
