import type { Clock } from '@notewire/protocol'
import type { DueNote, MirrorStore } from '../stores/store.ts'

/** How long a note that was taken is left to whoever took it. A crash gives it back after that. */
const TAKEN_FOR_MS = 20_000

/** Where more work may still come from, while notes are settled. */
export interface WorkToCome {
  /** Whether nothing more will come. */
  readonly isOver: boolean
  /** Resolves when there may be more, or it is over. */
  next(): Promise<void>
  /** Is told that nobody will take more, and why. */
  giveUp(reason: unknown): void
}

/** A note that was taken, and the sequence number that dates what is read for it. */
export interface TakenNote {
  readonly note: DueNote
  readonly start: number
}

/** Takes due notes from the store, some at a time, and hands them out one by one. */
export class DueQueue {
  readonly #store: MirrorStore
  readonly #scope: string
  readonly #clock: Clock
  readonly #atOnce: number
  readonly #toCome: WorkToCome
  readonly #notes: TakenNote[] = []
  #refilling: Promise<void> | undefined

  constructor(
    { store, scope, clock }: { readonly store: MirrorStore; readonly scope: string; readonly clock: Clock },
    atOnce: number,
    toCome: WorkToCome,
  ) {
    this.#store = store
    this.#scope = scope
    this.#clock = clock
    this.#atOnce = atOnce
    this.#toCome = toCome
  }

  /** The next due note; `undefined` when none is due and nothing more is to come. */
  async take(): Promise<TakenNote | undefined> {
    for (;;) {
      const next = this.#notes.shift()
      if (next !== undefined) return next
      // Asked before the store is: what comes between the two is found, or announced.
      const { isOver } = this.#toCome
      const more = this.#toCome.next()
      await this.#refill()
      if (this.#notes.length > 0) continue
      if (isOver) return undefined
      await more
    }
  }

  /** What was taken from the store and not handed out. */
  rest(): readonly TakenNote[] {
    return this.#notes.splice(0)
  }

  #refill(): Promise<void> {
    this.#refilling ??= this.#takeSome().finally(() => {
      this.#refilling = undefined
    })
    return this.#refilling
  }

  async #takeSome(): Promise<void> {
    const now = this.#clock.now()
    const request = { now, until: now + TAKEN_FOR_MS, limit: this.#atOnce }
    const { notes, sequence } = await this.#store.takeDue(this.#scope, request)
    this.#notes.push(...notes.map((note) => ({ note, start: sequence })))
  }
}
