import { DueQueue } from '../fetching/due-queue.ts'
import { fetchDueNotes } from '../fetching/fetch-due-notes.ts'
import type { EngineSettings, SyncContext, SyncReport } from '../fetching/sync.ts'
import { audit } from '../hooks.ts'
import type { NextWork, TakenIntegration } from '../integrations/integration-store.ts'
import type { CopyState, MirrorProgress } from '../integrations/progress.ts'
import { acceptRemovals, OverdueErasure } from '../ledger/erasure.ts'
import { eachNote, Ledger } from '../ledger/ledger.ts'
import { adoptKey, type CheckedCopy, type KeyContext, recordKey, requireKey } from '../listing/key-guard.ts'
import { list } from '../listing/list.ts'
import { fullListingContinuesAt, isListingPostponed, type ListingWork, pollDueAt } from '../listing/schedule.ts'
import { applyAcceptedRead } from '../rules/read-rule.ts'
import { tidy } from './tidying.ts'

interface StopConditions extends Pick<SyncContext, 'signal'> {
  readonly shouldYield?: (() => boolean) | undefined
  readonly isPacedBySchedule?: boolean | undefined
}

/** How many notes were read, and how many are read again later. */
export type Settled = Pick<SyncReport, 'settled' | 'postponed'>

/** The result of {@link Engine.slice}, with the progress before and after it. */
export interface Slice extends Settled {
  /** What was listed; `undefined` if no listing was due. */
  readonly listing: ListingWork | undefined
  /** Whether a poll has ended. */
  readonly hasPolled: boolean
  /** The error of a poll or a full listing, if it failed and other requests do not. */
  readonly listingError?: unknown
  readonly nextDueAt: number | null
  readonly before: MirrorProgress
  readonly after: MirrorProgress
}

/** Does the work on one copy in this process: lists, and reads the notes that are due. */
export class Engine {
  readonly #settings: EngineSettings
  readonly #ledger: Ledger
  readonly #erasure: OverdueErasure

  constructor(settings: EngineSettings) {
    this.#settings = settings
    this.#ledger = new Ledger(settings)
    this.#erasure = new OverdueErasure({ ...settings, ledger: this.#ledger })
  }

  /**
   * Does the due work of an integration that is leased to this process: polls, continues a full listing, and reads due notes, until `shouldYield`. A
   * poll that finds nothing makes one commit and reads nothing from the store.
   *
   * @param asked  what to list, whatever is due
   */
  async slice({ record, copy }: TakenIntegration, stop: StopConditions, asked?: ListingWork): Promise<Slice> {
    const listing = asked ?? this.#dueListing(record, copy.progress)
    const checked = await recordKey(this.#keyContext(), copy)
    const { after, nextDueAt, ...done } = await this.#work(stop, listing, checked)
    return { ...done, listing, nextDueAt, before: copy.progress, after }
  }

  /** Reads the notes that are due, and lists nothing. This needs no lease. */
  async settle(stop: StopConditions, copy: CopyState): Promise<Settled & Pick<Slice, 'nextDueAt' | 'after'>> {
    return await this.#work(stop, undefined, await requireKey(this.#keyContext(), copy))
  }

  /**
   * Records the key of an integration that is leased to this process, if nothing was listed before.
   *
   * @throws KeyChangedError if the notes were listed with another key
   */
  async recordKey(): Promise<void> {
    await recordKey(this.#keyContext(), await this.#readCopy())
  }

  async acceptRemovals(fullListingId: string): Promise<number> {
    return await acceptRemovals(fullListingId, { ...this.#settings, ledger: this.#ledger }, this.#settings.hooks)
  }

  /** Reads a note and accepts the response, even if it contradicts earlier reads and events (open point 35). */
  async acceptReads(noteId: string): Promise<boolean> {
    const { client, clock, keep } = this.#settings
    const { sequence: start } = await requireKey(this.#keyContext(), await this.#readCopy())
    const requestedAt = clock.now()
    const note = await client.notes.find(noteId)
    const change = eachNote([noteId], (state, { sequence: end }) => {
      if (note === undefined && state.evidence === null && state.heard === null) return undefined
      return applyAcceptedRead(state, note, { start, end, source: 'read', requestedAt, at: clock.now() }, { keep })
    })
    const { writes } = await this.#ledger.commit(change)
    return writes.get(noteId)?.state.presence === 'live'
  }

  async adoptKey(): Promise<void> {
    await adoptKey(this.#keyContext())
    const { hooks, integration, clock } = this.#settings
    await audit(hooks, { act: 'adoptKey', integration, at: new Date(clock.now()) })
  }

  #dueListing(next: NextWork, progress: MirrorProgress): ListingWork | undefined {
    const now = this.#settings.clock.now()
    if (isListingPostponed(next, now)) return undefined
    const { pollAskedAt, fullListingAskedAt } = next
    const isPollDue = pollAskedAt !== undefined || now >= pollDueAt(progress, this.#settings.pollEveryMs, now)
    const fullListingAt = fullListingContinuesAt(progress, next, now)
    const isListingDue = isPollDue || (fullListingAt !== null && now >= fullListingAt)
    return isListingDue
      ? { isPollDue, fullListingWhen: 'when-due', isFullListingAsked: fullListingAskedAt !== undefined }
      : undefined
  }

  #keyContext(): KeyContext {
    return { ...this.#settings, ledger: this.#ledger }
  }

  /** Erases what is overdue, lists, and concurrently reads the notes that are due. */
  async #work(
    { signal, shouldYield = () => false, isPacedBySchedule = false }: StopConditions,
    work: ListingWork | undefined,
    checked: CheckedCopy,
  ): Promise<Settled & Pick<Slice, 'hasPolled' | 'listingError' | 'nextDueAt' | 'after'>> {
    const parts = { ...this.#settings, ledger: this.#ledger, erasure: this.#erasure }
    const stopped = new AbortController()
    const anySignal = AbortSignal.any([signal, stopped.signal])
    const context: SyncContext = {
      ...parts,
      key: checked.key,
      signal: anySignal,
      shouldYield,
      isPacedBySchedule,
      stop: (reason) => stopped.abort(reason),
    }
    await this.#erasure.run(checked.hiddenSince)
    const queue = new DueQueue(context, checked.nextDueAt)
    const stopListening = parts.hints.listen(parts.integration, () => queue.recheck())
    const listing =
      work === undefined
        ? Promise.resolve({ ...checked, hasPolled: false, error: undefined })
        : list(context, work, checked, queue)
    // If the listing fails, the due notes are still read. An error that every other request would meet stops the listing, too.
    const closing = listing.finally(() => queue.close())
    const [listed, settled] = await Promise.allSettled([closing, fetchDueNotes(context, queue)])
    stopListening()
    if (settled.status === 'rejected') throw settled.reason
    if (listed.status === 'rejected') throw listed.reason
    await tidy(context)
    const { progress: after, hasPolled, error: listingError } = listed.value
    const nextDueAt = queue.nextDueAt === undefined ? (await this.#readCopy()).nextDueAt : queue.nextDueAt
    return { ...settled.value, hasPolled, listingError, nextDueAt, after }
  }

  async #readCopy(): Promise<CopyState> {
    return await this.#settings.store.readProgress(this.#settings.integration)
  }
}
