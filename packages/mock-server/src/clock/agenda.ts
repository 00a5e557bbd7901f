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
  cancelled: boolean
}

/** Appointments in order of time. Cancelled appointments stay in the list for a while. */
export class Agenda {
  #appointments: Appointment[] = []
  #live: Record<Purpose, number> = { work: 0, sleep: 0 }
  #rank = 0

  /** A rank after every earlier rank, for appointments at the same instant. */
  nextRank(): number {
    this.#rank += 1
    return this.#rank
  }

  /** How many appointments with this purpose are neither done nor cancelled. */
  count(purpose: Purpose): number {
    return this.#live[purpose]
  }

  /** When the next appointment is due, for one purpose or for any. */
  nextAt(purpose?: Purpose): number | undefined {
    if (purpose === undefined) return this.#next?.at
    return this.#appointments.find((each) => !each.cancelled && each.purpose === purpose)?.at
  }

  add(appointment: Omit<Appointment, 'cancelled'>): Appointment {
    const added = { ...appointment, cancelled: false }
    this.#live[added.purpose] += 1
    this.#appointments.splice(this.#placeOf(added), 0, added)
    return added
  }

  /**
   * Removes the next appointment and does it.
   *
   * @returns its purpose
   */
  keepNext(): Purpose | undefined {
    const next = this.#next
    if (next === undefined) return undefined
    this.#appointments.shift()
    this.#live[next.purpose] -= 1
    // A later cancellation has no effect.
    next.cancelled = true
    next.act()
    return next.purpose
  }

  cancel(appointment: Appointment): void {
    if (appointment.cancelled) return
    appointment.cancelled = true
    this.#live[appointment.purpose] -= 1
    // Thousands can be cancelled while the clock stands still, and must not fill the memory.
    if (this.#appointments.length > 2 * (this.#live.work + this.#live.sleep) + 64) {
      this.#appointments = this.#appointments.filter(({ cancelled }) => !cancelled)
    }
  }

  /** Moves every appointment by the same time. */
  shift(ms: number): void {
    for (const appointment of this.#appointments) appointment.at += ms
  }

  clear(): void {
    for (const appointment of this.#appointments) appointment.cancelled = true
    this.#appointments = []
    this.#live = { work: 0, sleep: 0 }
  }

  get #next(): Appointment | undefined {
    while (this.#appointments[0]?.cancelled) this.#appointments.shift()
    return this.#appointments[0]
  }

  /** The index at which an appointment belongs, by binary search. */
  #placeOf({ at, rank }: Appointment): number {
    let [low, high] = [0, this.#appointments.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#appointments[middle]
      const isEarlier = other !== undefined && (other.at === at ? other.rank < rank : other.at < at)
      if (isEarlier) low = middle + 1
      else high = middle
    }
    return low
  }
}
