import { Agenda, type Appointment, isEarlier } from './agenda.ts'

/** Who made an appointment: the service, for its work, or somebody else, who sleeps. */
export type Purpose = 'work' | 'sleep'

/** What falls due when, all of it in one order. */
export class Calendar {
  readonly #agendas: Readonly<Record<Purpose, Agenda>> = { work: new Agenda(), sleep: new Agenda() }
  #rank = 0

  /** A place among whatever falls due at the same instant: behind everything ranked before. */
  nextRank(): number {
    this.#rank += 1
    return this.#rank
  }

  add(purpose: Purpose, at: number, rank: number, act: () => void): Appointment {
    return this.#agendas[purpose].add(at, rank, act)
  }

  cancel(purpose: Purpose, appointment: Appointment): void {
    this.#agendas[purpose].cancel(appointment)
  }

  /** When something falls due next, for one purpose or for any. */
  nextAt(purpose: Purpose | undefined = this.#nextPurpose): number | undefined {
    return purpose && this.#agendas[purpose].next?.at
  }

  /**
   * Does what falls due next.
   *
   * @returns for which purpose
   */
  keepNext(): Purpose | undefined {
    const purpose = this.#nextPurpose
    if (purpose !== undefined) this.#agendas[purpose].keepNext()
    return purpose
  }

  /** Whether the service has anything left to do. */
  get hasWork(): boolean {
    return this.#agendas.work.size > 0
  }

  /** Moves everything by the same time. */
  shift(ms: number): void {
    for (const agenda of Object.values(this.#agendas)) agenda.shift(ms)
  }

  clear(): void {
    for (const agenda of Object.values(this.#agendas)) agenda.clear()
  }

  get #nextPurpose(): Purpose | undefined {
    const work = this.#agendas.work.next
    const sleep = this.#agendas.sleep.next
    if (work === undefined) return sleep && 'sleep'
    return sleep === undefined || isEarlier(work, sleep) ? 'work' : 'sleep'
  }
}
