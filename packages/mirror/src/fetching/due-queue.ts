import { monotonicNow } from '@notewire/protocol'
import { Wakeup } from '../concurrency/wakeup.ts'
import { isDueAt, isPostponedByWrongClock } from '../rules/backoff.ts'
import type { VersionedState } from '../stores/mirror-store.ts'
import type { SyncContext } from './sync.ts'

/** A due note that is handed out: it must be fetched. */
export interface HandedOutNote {
  readonly note: VersionedState
  /** The sequence number at which requests for the note start. */
  readonly startSequence: number
}

/**
 * How many due notes one read returns at least and at most. With 500 in each read, reading states took a tenth of a first listing. If the service
 * cannot read single notes, one listing fetches all that were read.
 */
const LEAST_READ = 32
const MOST_READ = 500

/** For how long the notes of one read are handed out, in milliseconds. Later, events have made others due, and other workers have fetched some. */
const HAND_OUT_FOR_MS = 100

/** How often it asks the store for notes that other processes have made due, in milliseconds. */
const CHECK_EVERY_MS = 500

/**
 * The due notes of one call of the engine, such as a slice. It reads notes from the store in batches, and hands them out one by one. A note is not handed out again until
 * it is done. Other workers of the same mirror read the same notes, so each hands them out in another order, and drops those that another one has
 * written when it reads the next time.
 *
 * It asks the store only if a note may be due: at first if `nextDueAt` has come, later after a note is done, after `recheck`, and while the work waits
 * for a response.
 */
export class DueQueue {
  readonly #context: SyncContext
  readonly #changes = new Wakeup()
  /** The notes that the latest read has returned and that are not handed out yet. The last is the next. */
  #waiting: HandedOutNote[] = []
  /** The ids of the notes that are handed out and not done. */
  readonly #handedOut = new Set<string>()
  /** When the next of the other notes is due; `undefined` if the store must be asked. */
  #nextDueAt: number | null | undefined
  #readAt = 0
  /** How many notes were handed out since the latest read. */
  #handedOutSince = 0
  #query: Promise<void> | undefined
  #pause: Promise<void> | undefined
  /** Whether the listing has ended, so that it makes no other note due. */
  #isClosed = false

  /** @param nextDueAt  when the next note is due, as of the beginning of the work */
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

  /** Records that what was found out about a note is written, so that the note is handed out again if it is due again. */
  done(noteId: string): void {
    this.#handedOut.delete(noteId)
    this.recheck()
  }

  /**
   * Returns the next due note. Waits for one until the queue has ended, or the work must stop: then it returns `undefined`.
   *
   * @param onWait  called before it waits, because no note is due
   */
  async take(onWait: () => void): Promise<HandedOutNote | undefined> {
    const { signal, shouldYield } = this.#context
    while (!signal.aborted && !shouldYield()) {
      if (this.#query !== undefined || this.#mustRead) await this.#read()
      const next = this.#waiting.pop()
      if (next !== undefined) {
        this.#handOut(next)
        return next
      }
      if (this.#mustRead) continue
      if (this.#isClosed && this.#handedOut.size === 0) return undefined
      onWait()
      await this.#waitForNotes()
    }
    return undefined
  }

  /** Hands out all notes that the latest read has returned. */
  takeAll(): readonly HandedOutNote[] {
    const all = this.#waiting.splice(0).reverse()
    for (const note of all) this.#handOut(note)
    return all
  }

  /** When the next note is due; `undefined` if only the store knows. */
  get nextDueAt(): number | null | undefined {
    return this.#waiting.length + this.#handedOut.size > 0 ? undefined : this.#nextDueAt
  }

  get #mustRead(): boolean {
    if (this.#waiting.length === 0) return this.#nextDueAt === undefined
    return monotonicNow(this.#context.clock) - this.#readAt > HAND_OUT_FOR_MS
  }

  #handOut({ note }: HandedOutNote): void {
    this.#handedOut.add(note.state.noteId)
    this.#handedOutSince += 1
  }

  /** Waits until notes may be due. Concurrent calls share one timer. */
  #waitForNotes(): Promise<void> {
    this.#pause ??= this.#waitOnce().finally(() => {
      this.#pause = undefined
    })
    return this.#pause
  }

  async #waitOnce(): Promise<void> {
    const { clock, signal } = this.#context
    const { count } = this.#changes
    await this.#changes.nextWithin(CHECK_EVERY_MS, clock, signal)
    if (this.#changes.count === count) this.#nextDueAt = undefined
  }

  /** Replaces the notes that wait. Concurrent calls share one query. */
  #read(): Promise<void> {
    this.#query ??= this.#readOnce().finally(() => {
      this.#query = undefined
    })
    return this.#query
  }

  /** Four times as many as were handed out since the latest read: a few that suffice, among which two workers rarely choose the same. */
  #readSize(): number {
    if (this.#readAt === 0 || this.#context.client.notes.readsFromList) return MOST_READ
    return Math.min(Math.max(4 * this.#handedOutSince, LEAST_READ), MOST_READ)
  }

  async #readOnce(): Promise<void> {
    const { store, integration, clock } = this.#context
    const now = clock.now()
    const request = { dueBy: now, limit: this.#readSize(), except: [...this.#handedOut] }
    this.#handedOutSince = 0
    // Set before the query, so that a `recheck` during the query causes another query.
    this.#nextDueAt = null
    let due = await store.readDue(integration, request)
    const { nextDueAt } = due
    const isPostponed = due.notes.length === 0 && nextDueAt !== null && isPostponedByWrongClock(nextDueAt, now)
    if (isPostponed) due = await store.readDue(integration, { ...request, dueBy: nextDueAt })
    const { notes, sequence } = due
    if (notes.length === 0 && (await store.tidy?.())) return this.recheck()
    const isComplete = notes.length < request.limit && this.#nextDueAt === null
    this.#nextDueAt = isComplete ? due.nextDueAt : undefined
    this.#readAt = monotonicNow(clock)
    const others = notes.filter(({ state }) => !this.#handedOut.has(state.noteId))
    this.#waiting = inOwnOrder(others).map((note) => ({ note, startSequence: sequence }))
  }
}

/** In random order, so that two workers do not fetch the same notes at the same time, but with the notes that must be read again last. */
function inOwnOrder(notes: readonly VersionedState[]): readonly VersionedState[] {
  const places = new Map(notes.map((note) => [note, Number(note.state.readAfterSequence !== null) + Math.random()]))
  return notes.toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0))
}
