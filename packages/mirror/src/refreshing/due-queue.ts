import type { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { DueNote } from '../interfaces/store.ts'
import { isPostponedByWrongClock } from '../rules/backoff.ts'

/** The lease of a taken note, in milliseconds. After it, another worker may take the note. */
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
  readonly #isAnyDue: boolean
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

  /** The next due note; `undefined` when none is due and the listing has ended, or when the signal has fired or it is enough. */
  async take(): Promise<TakenNote | undefined> {
    const { signal, isEnough } = this.#context
    while (!signal.aborted && !isEnough()) {
      const next = this.#notes.shift()
      if (next !== undefined) return next
      // Before the store is read: a page that is applied later wakes this worker.
      const { isOver } = this.#pages
      const page = this.#pages.next(signal)
      if (this.#isAnyDue || this.#pages.hasWoken) await this.#refill()
      if (this.#notes.length > 0) continue
      if (isOver) return undefined
      await page
    }
    return undefined
  }

  /** Removes and returns the notes that no worker took. */
  drain(): readonly TakenNote[] {
    return this.#notes.splice(0)
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
    const taken = await store.takeDue(integration, request)
    const { nextDueAt } = taken
    const isPostponed = taken.notes.length === 0 && nextDueAt !== null && isPostponedByWrongClock(nextDueAt, now)
    const { notes, sequence } = isPostponed ? await store.takeDue(integration, { ...request, now: nextDueAt }) : taken
    this.#notes.push(...notes.map((note) => ({ note, start: sequence })))
  }
}
