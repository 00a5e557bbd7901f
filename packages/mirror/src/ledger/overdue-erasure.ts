import type { Clock } from '@notewire/protocol'
import { ERASE_WITHIN_MS } from '../interfaces/note-state.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { eraseUnconfirmed } from '../rules/removal.ts'
import type { Ledger } from './ledger.ts'

/** How long a sync or a pause goes on at most before it checks for overdue notes, in milliseconds. */
export const ERASE_EVERY_MS = 5 * 60_000

/**
 * How many notes are erased in one commit. To remove a note from a text index for good takes tens of milliseconds, and other writers
 * wait meanwhile.
 */
export const ERASED_AT_ONCE = 10

/** What the erasure works with. */
interface ErasureParts {
  readonly store: MirrorStore
  readonly integration: string
  readonly clock: Clock
  readonly ledger: Ledger
}

/**
 * Erases the content of notes that an event hid and that no read has confirmed to be gone within an hour. It needs no read, so
 * content is erased in time even if the service is down or many notes are due.
 */
export class OverdueErasure {
  readonly #parts: ErasureParts
  #checkedAt = 0

  constructor(parts: ErasureParts) {
    this.#parts = parts
  }

  /**
   * Erases everything that is overdue.
   *
   * @param hiddenSince  when the first note was hidden, if that is known: nothing is read if no note can be overdue
   */
  async run(hiddenSince: number | null = 0): Promise<void> {
    const { store, integration, clock, ledger } = this.#parts
    const now = clock.now()
    this.#checkedAt = now
    if (hiddenSince === null || hiddenSince > now - ERASE_WITHIN_MS) return
    for (;;) {
      const noteIds = await store.listOverdue(integration, now - ERASE_WITHIN_MS, ERASED_AT_ONCE)
      if (noteIds.length === 0) return
      await ledger.revise(noteIds, (state) => eraseUnconfirmed(state, now))
    }
  }

  /**
   * Erases everything that is overdue if the last check is five minutes ago: for work that may last for hours. Never rejects: a
   * failure is reported by the next sync, which begins with `run`.
   */
  async runIfDue(): Promise<void> {
    if (Math.abs(this.#parts.clock.now() - this.#checkedAt) < ERASE_EVERY_MS) return
    await this.run().catch(() => undefined)
  }
}
