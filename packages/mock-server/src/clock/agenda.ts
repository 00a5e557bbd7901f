/** Something to do at an instant. */
export interface Appointment {
  /** Milliseconds since the Unix epoch. */
  at: number
  /** Decides between appointments at the same instant: the lower comes first. */
  readonly rank: number
  readonly act: () => void
  cancelled: boolean
}

/** What is to be done when, the earliest first: a binary heap, in which cancelled appointments stay for a while. */
export class Agenda {
  #heap: Appointment[] = []
  #live = 0

  /** How many appointments are neither kept nor cancelled. */
  get size(): number {
    return this.#live
  }

  /** The next appointment, left in place. */
  get next(): Appointment | undefined {
    while (this.#heap[0]?.cancelled) this.#removeFirst()
    return this.#heap[0]
  }

  add(at: number, rank: number, act: () => void): Appointment {
    const appointment = { at, rank, act, cancelled: false }
    this.#live += 1
    this.#heap.push(appointment)
    this.#rise(this.#heap.length - 1)
    return appointment
  }

  /** Keeps the next appointment: takes it out and does it. */
  keepNext(): void {
    const appointment = this.next
    if (appointment === undefined) return
    this.#removeFirst()
    this.#live -= 1
    // A later cancellation finds nothing left to cancel.
    appointment.cancelled = true
    appointment.act()
  }

  cancel(appointment: Appointment): void {
    if (appointment.cancelled) return
    appointment.cancelled = true
    this.#live -= 1
    // Time may stand still while thousands are cancelled. What is sorted is a heap, too.
    if (this.#heap.length > 2 * this.#live + 64) {
      this.#heap = this.#heap.filter(({ cancelled }) => !cancelled).sort((one, two) => (isEarlier(one, two) ? -1 : 1))
    }
  }

  /** Moves every appointment by the same time. */
  shift(ms: number): void {
    for (const appointment of this.#heap) appointment.at += ms
  }

  clear(): void {
    for (const appointment of this.#heap) appointment.cancelled = true
    this.#heap = []
    this.#live = 0
  }

  #removeFirst(): void {
    const last = this.#heap.pop()
    if (last === undefined || this.#heap.length === 0) return
    this.#heap[0] = last
    this.#sink(0)
  }

  #rise(start: number): void {
    let index = start
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#isBefore(index, parent)) return
      this.#swap(index, parent)
      index = parent
    }
  }

  #sink(start: number): void {
    let index = start
    for (;;) {
      const left = 2 * index + 1
      const earlier = this.#isBefore(left + 1, left) ? left + 1 : left
      if (!this.#isBefore(earlier, index)) return
      this.#swap(index, earlier)
      index = earlier
    }
  }

  #isBefore(index: number, other: number): boolean {
    const one = this.#heap[index]
    const two = this.#heap[other]
    return one !== undefined && two !== undefined && isEarlier(one, two)
  }

  #swap(index: number, other: number): void {
    const one = this.#heap[index]
    const two = this.#heap[other]
    if (one === undefined || two === undefined) return
    this.#heap[index] = two
    this.#heap[other] = one
  }
}

/** Tells which of two appointments comes first: by time, then by rank. */
export function isEarlier(one: Appointment, two: Appointment): boolean {
  return one.at === two.at ? one.rank < two.rank : one.at < two.at
}
