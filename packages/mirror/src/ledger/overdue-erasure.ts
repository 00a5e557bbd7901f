import type { Clock } from '@notewire/protocol'
import { ERASE_WITHIN_MS } from '../interfaces/note-state.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { eraseUnconfirmed } from '../rules/removal.ts'
import type { Ledger } from './ledger.ts'

/** The longest time that a sync or a pause continues before it checks for overdue notes, in milliseconds. */
export const ERASE_EVERY_MS = 5 * 60_000

/** How many notes are erased in one commit. Removing a note from a text index takes tens of milliseconds, and blocks other writers. */
export const ERASE_BATCH_SIZE = 10

interface ErasureContext {
  readonly store: MirrorStore
  readonly integration: string
  readonly clock: Clock
  readonly ledger: Ledger
}

/**
 * Erases the content of notes that an event hid an hour ago and whose deletion no read has confirmed. It needs no request, so content is
 * erased in time even if the service is down or many notes are due.
 */
export class OverdueErasure {
  readonly #context: ErasureContext
  #checkedAt = 0

  constructor(context: ErasureContext) {
    this.#context = context
  }

  /**
   * Erases everything that is overdue.
   *
   * @param hiddenSince  when the first note was hidden, if that is known: if no note can be overdue, the store is not read
   */
  async run(hiddenSince: number | null = 0): Promise<void> {
    const { store, integration, clock, ledger } = this.#context
    const now = clock.now()
    this.#checkedAt = now
    if (hiddenSince === null || (hiddenSince > now - ERASE_WITHIN_MS && hiddenSince <= now)) return
    for (;;) {
      const noteIds = await store.listOverdue(integration, now - ERASE_WITHIN_MS, ERASE_BATCH_SIZE)
      if (noteIds.length === 0) return
      await ledger.revise(noteIds, (state) => eraseUnconfirmed(state, now))
    }
  }

  /**
   * Erases everything that is overdue if the last check was five minutes ago: for work that may last for hours. Never rejects: the next
   * sync, which begins with `run`, reports the failure.
   */
  async runIfDue(): Promise<void> {
    if (Math.abs(this.#context.clock.now() - this.#checkedAt) < ERASE_EVERY_MS) return
    await this.run().catch(() => undefined)
  }
}
