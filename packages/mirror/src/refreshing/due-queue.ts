import type { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { DueNote } from '../interfaces/store.ts'
import { isPostponedByWrongClock } from '../rules/backoff.ts'

/** The lease of a taken note, in milliseconds. When it has expired, another worker may take the note. */
const LEASE_MS = 20_000

/** A taken note, and the sequence number of requests for it. */
export interface TakenNote {
  readonly note: DueNote
  readonly start: number
}

/** Takes due notes from the store in batches, and returns them one by one. */
export class DueQueue {
  readonly #context: SyncContext
  readonly #pages: Wakeup
  readonly #notes: TakenNote[] = []
  #isAnyDue: boolean
  /** The number of pages at the latest query of the store. */
  #pagesSeen = 0
  #nextDueAt: number | null | undefined
  #refilling: Promise<void> | undefined

  /**
   * @param pages  wakes after each page of a listing, which may have made notes due, and ends with the listing
   * @param isAnyDue  whether a note may be due before the first page
   */
  constructor(context: SyncContext, pages: Wakeup, isAnyDue: boolean) {
    this.#context = context
    this.#pages = pages
    this.#isAnyDue = isAnyDue
  }

  /**
   * Returns the next due note; `undefined` if none is due and the listing has ended, or if the worker must stop.
   *
   * @param hasRead  whether the caller has just read a note, which may be due again
   */
  async take(hasRead: boolean): Promise<TakenNote | undefined> {
    const { signal, shouldYield } = this.#context
    if (hasRead) this.#isAnyDue = true
    while (!signal.aborted && !shouldYield()) {
      const next = this.#notes.shift()
      if (next !== undefined) return next
      if (this.#mayBeDue()) await this.#refill()
      else if (this.#pages.isOver) return undefined
      else await this.#pages.next(signal)
    }
    return undefined
  }

  /** When the next note is due; `undefined` if a note was read or a page was applied since the store returned that time. */
  get nextDueAt(): number | null | undefined {
    return this.#mayBeDue() || this.#notes.length > 0 ? undefined : this.#nextDueAt
  }

  /** Removes and returns the notes that no worker took. */
  drain(): readonly TakenNote[] {
    return this.#notes.splice(0)
  }

  #mayBeDue(): boolean {
    return this.#isAnyDue || this.#pages.count > this.#pagesSeen
  }

  #refill(): Promise<void> {
    this.#refilling ??= this.#takeSome().finally(() => {
      this.#refilling = undefined
    })
    return this.#refilling
  }

  async #takeSome(): Promise<void> {
    const { store, integration, clock, concurrency } = this.#context
    const now = clock.now()
    const request = { now, until: now + LEASE_MS, limit: 4 * concurrency }
    // These are set before the query: a note that becomes due during the query causes another query.
    this.#isAnyDue = false
    this.#pagesSeen = this.#pages.count
    let taken = await store.takeDue(integration, request)
    const { nextDueAt } = taken
    const isPostponed = taken.notes.length === 0 && nextDueAt !== null && isPostponedByWrongClock(nextDueAt, now)
    if (isPostponed) taken = await store.takeDue(integration, { ...request, dueBy: nextDueAt })
    const { notes, sequence } = taken
    this.#nextDueAt = taken.nextDueAt
    if (notes.length === request.limit) this.#isAnyDue = true
    this.#notes.push(...notes.map((note) => ({ note, start: sequence })))
  }
}
