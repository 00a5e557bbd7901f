import { leaseFrom } from '../concurrency/lease.ts'
import { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext } from '../context/sync.ts'
import type { DueNote } from '../interfaces/store.ts'
import { isDueAt, isPostponedByWrongClock } from '../rules/backoff.ts'

export interface TakenNote {
  readonly note: DueNote
  readonly startSequence: number
}

/** How many notes one listing reads, if the service cannot read single notes. */
const LISTED_AT_ONCE = 500

/** How often it asks the store for notes that other processes have made due, in milliseconds. */
const CHECK_EVERY_MS = 500

/**
 * The due notes of one round of work. It takes notes from the store in batches, and hands them out one by one. It asks the store only if a
 * note may be due: at first if `nextDueAt` has come, later after `recheck`, and while the round waits for a response.
 */
export class DueQueue {
  readonly #context: SyncContext
  readonly #changes = new Wakeup()
  readonly #taken: TakenNote[] = []
  /** When the next note is due, apart from the taken notes; `undefined` if the store must be asked. */
  #nextDueAt: number | null | undefined
  #query: Promise<void> | undefined
  #waiting: Promise<void> | undefined
  /** Whether the listing has ended, so that it makes no other note due. */
  #isClosed = false
  /** How many notes were handed out and are not done. */
  #handedOut = 0

  /** @param nextDueAt  when the next note is due, as of the beginning of the round */
  constructor(context: SyncContext, nextDueAt: number | null) {
    this.#context = context
    this.#nextDueAt = isDueAt(nextDueAt, context.clock.now()) ? undefined : nextDueAt
  }

  /** Makes the queue ask the store again, because notes may have become due. */
  recheck(): void {
    this.#nextDueAt = undefined
    this.#changes.wake()
  }

  /** Ends the queue once every note that it has handed out is done: `take` then no longer waits. */
  close(): void {
    this.#isClosed = true
    this.#changes.wake()
  }

  /** Records that a note that was handed out is done. */
  done(): void {
    this.#handedOut -= 1
    if (this.#isOver) this.#changes.wake()
  }

  /**
   * Returns the next due note. Waits for one until the queue has ended, or the round must stop: then it returns `undefined`.
   *
   * @param onWait  called before it waits, because no note is due
   */
  async take(onWait: () => void): Promise<TakenNote | undefined> {
    const { signal, shouldYield } = this.#context
    while (!signal.aborted && !shouldYield()) {
      const next = this.#taken.shift()
      if (next !== undefined) {
        this.#handedOut += 1
        return next
      }
      if (this.#nextDueAt === undefined || this.#query !== undefined) await this.#takeFromStore()
      else if (this.#isOver) return undefined
      else {
        onWait()
        await this.#waitForNotes()
      }
    }
    return undefined
  }

  get #isOver(): boolean {
    return this.#isClosed && this.#handedOut === 0
  }

  /** Waits until notes may be due. Concurrent calls share one timer. */
  #waitForNotes(): Promise<void> {
    this.#waiting ??= this.#waitOnce().finally(() => {
      this.#waiting = undefined
    })
    return this.#waiting
  }

  async #waitOnce(): Promise<void> {
    const { clock, signal } = this.#context
    const { count } = this.#changes
    await this.#changes.nextWithin(CHECK_EVERY_MS, clock, signal)
    if (this.#changes.count === count) this.#nextDueAt = undefined
  }

  /** When the next note is due; `undefined` if only the store knows. */
  get nextDueAt(): number | null | undefined {
    return this.#taken.length > 0 ? undefined : this.#nextDueAt
  }

  drain(): readonly TakenNote[] {
    return this.#taken.splice(0)
  }

  /** Takes a batch. Concurrent calls share one query. */
  #takeFromStore(): Promise<void> {
    this.#query ??= this.#takeBatch().finally(() => {
      this.#query = undefined
    })
    return this.#query
  }

  async #takeBatch(): Promise<void> {
    const { client, store, integration, clock, concurrency } = this.#context
    const { now, until } = leaseFrom(clock.now())
    const request = { dueBy: now, until, limit: client.notes.readsFromList ? LISTED_AT_ONCE : 4 * concurrency }
    // Set before the query, so that a `recheck` during the query causes another query.
    this.#nextDueAt = null
    let batch = await store.takeDue(integration, request)
    const { nextDueAt } = batch
    const isPostponed = batch.notes.length === 0 && nextDueAt !== null && isPostponedByWrongClock(nextDueAt, now)
    if (isPostponed) batch = await store.takeDue(integration, { ...request, dueBy: nextDueAt })
    const { notes, sequence } = batch
    const isComplete = notes.length < request.limit && this.#nextDueAt === null
    this.#nextDueAt = isComplete ? batch.nextDueAt : undefined
    this.#taken.push(...notes.map((note) => ({ note, startSequence: sequence })))
  }
}
