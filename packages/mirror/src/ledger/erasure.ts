import type { Clock } from '@notewire/protocol'
import { MirrorError } from '../errors.ts'
import { audit, type CopyHooks } from '../hooks.ts'
import { ERASE_BATCH_SIZE } from '../integrations/integration-store.ts'
import { ERASE_WITHIN_MS, noteIdsOf } from '../notes/note-state.ts'
import { acceptRemoval, eraseUnconfirmed } from '../rules/absence-rule.ts'
import type { ReadableStore } from '../stores/mirror-store.ts'
import { eachNote, type Ledger } from './ledger.ts'

/** The longest time that a sync or a pause continues before it checks for overdue notes, in milliseconds. */
export const ERASE_EVERY_MS = 5 * 60_000

interface ErasureContext {
  readonly store: ReadableStore
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

  /** Erases everything that is overdue. If no note can be, because the first was hidden at `hiddenSince`, the store is not read. */
  async run(hiddenSince: number | null = 0): Promise<void> {
    const { store, integration, clock, ledger } = this.#context
    const now = clock.now()
    this.#checkedAt = now
    if (hiddenSince === null || (hiddenSince > now - ERASE_WITHIN_MS && hiddenSince <= now)) return
    for (;;) {
      const query = { hiddenBefore: now - ERASE_WITHIN_MS, limit: ERASE_BATCH_SIZE }
      const overdue = await store.listStates(integration, query)
      if (overdue.length === 0) return
      await ledger.commit(eachNote(noteIdsOf(overdue), (state) => eraseUnconfirmed(state, now)))
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

/**
 * Erases the notes whose removal a full listing holds back.
 *
 * @returns how many notes were removed
 * @throws MirrorError `full_listing_unknown` when the full listing holds nothing back
 */
export async function acceptRemovals(
  fullListingId: string,
  { store, integration, ledger, clock }: ErasureContext,
  hooks: CopyHooks,
): Promise<number> {
  let removed = 0
  try {
    for (let after = ''; ; ) {
      const query = { heldBy: fullListingId, after, limit: ERASE_BATCH_SIZE }
      const noteIds = noteIdsOf(await store.listStates(integration, query))
      const last = noteIds.at(-1)
      if (last === undefined) break
      const { writes } = await ledger.commit(eachNote(noteIds, (state) => acceptRemoval(state, fullListingId)))
      removed += writes.size
      after = last
    }
  } finally {
    const at = new Date(clock.now())
    if (removed > 0) await audit(hooks, { act: 'acceptRemovals', integration, at, fullListingId, removed })
  }
  if (removed > 0) return removed
  throw new MirrorError(
    'full_listing_unknown',
    'this full listing holds no removals back: they were accepted before, or the notes were found again. mirror.status().held lists the full listings that hold removals back.',
  )
}
