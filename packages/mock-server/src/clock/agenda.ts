/** The purpose of an appointment: work of the service, or a sleep of its caller. */
export type Purpose = 'work' | 'sleep'

/** Something to do at an instant. */
export interface Appointment {
  readonly purpose: Purpose
  /** Milliseconds since the Unix epoch. */
  at: number
  /** Decides between appointments at the same instant: the lower rank comes first. */
  readonly rank: number
  readonly act: () => void
}

/** Appointments in order of time. */
export class Agenda {
  #appointments: Appointment[] = []
  #rank = 0

  /** A rank after every earlier rank, for appointments at the same instant. */
  nextRank(): number {
    this.#rank += 1
    return this.#rank
  }

  /** Whether an appointment has this purpose. */
  has(purpose: Purpose): boolean {
    return this.#appointments.some((each) => each.purpose === purpose)
  }

  /** When the next appointment is due, for one purpose or for any. */
  nextAt(purpose?: Purpose): number | undefined {
    return this.#appointments.find((each) => purpose === undefined || each.purpose === purpose)?.at
  }

  add(appointment: Appointment): Appointment {
    const { at, rank } = appointment
    const before = this.#appointments.findLastIndex((each) => each.at < at || (each.at === at && each.rank < rank))
    this.#appointments.splice(before + 1, 0, appointment)
    return appointment
  }

  /** Removes the next appointment and does it. @returns its purpose */
  keepNext(): Purpose | undefined {
    const next = this.#appointments.shift()
    next?.act()
    return next?.purpose
  }

  /** Removes an appointment, if it is neither done nor removed. */
  cancel(appointment: Appointment): void {
    const index = this.#appointments.indexOf(appointment)
    if (index >= 0) this.#appointments.splice(index, 1)
  }

  /** Moves every appointment by the same time. */
  shift(ms: number): void {
    for (const appointment of this.#appointments) appointment.at += ms
  }

  clear(): void {
    this.#appointments = []
  }
}
