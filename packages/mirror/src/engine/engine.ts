import type { WebhookEvent } from '@notewire/protocol'
import { once } from '../concurrency/calls.ts'
import { Wakeup } from '../concurrency/wakeup.ts'
import type { MirrorSettings } from '../context/mirror-options.ts'
import type { SyncContext, SyncOptions, SyncReport } from '../context/sync.ts'
import { audit, workInside } from '../interfaces/mirror-hooks.ts'
import type { CopyState, MirrorProgress } from '../interfaces/progress.ts'
import { acceptRemovals, OverdueErasure } from '../ledger/erasure.ts'
import { Ledger } from '../ledger/ledger.ts'
import { storeHint } from '../ledger/store-hint.ts'
import { adoptKey, requireKey } from '../listing/key-guard.ts'
import { type ListingWork, list } from '../listing/list.ts'
import { otherLeaseEnd, pollDueAt, scanContinuesAt } from '../listing/schedule.ts'
import { DueQueue } from '../refreshing/due-queue.ts'
import { settleDue } from '../refreshing/settling.ts'
import { isDueAt } from '../rules/backoff.ts'
import { applyAcceptedRead } from '../rules/read-rule.ts'
import { createNoteReader } from '../service/note-reader.ts'

interface StopConditions extends Pick<SyncOptions, 'signal'> {
  /** Whether to stop after the current page or read. */
  readonly shouldYield?: (() => boolean) | undefined
}

/** What a round did, and the state of the copy after it. */
interface Round extends Omit<SyncReport, 'nextAt'> {
  readonly after: Pick<CopyState, 'progress' | 'nextDueAt'>
  /** The error of a poll or a scan, if it failed and other requests do not. */
  readonly listingError?: unknown
}

/** A report, and the error of a poll or a scan that failed while the rest was done. */
export interface WorkDone extends SyncReport {
  readonly listingError?: unknown
  /** The progress after the work. */
  readonly progress: MirrorProgress
}

/** The result of {@link Engine.slice}, with the progress before and after it. */
export interface Slice extends Pick<WorkDone, 'settled' | 'listed' | 'listingError'> {
  readonly nextDueAt: number | null
  readonly before: MirrorProgress
  readonly after: MirrorProgress
}

/** Does the work of a mirror in this process: stores the hints of events, lists, and reads the notes that are due. */
export class Engine {
  readonly #settings: MirrorSettings
  readonly #ledger: Ledger
  readonly #erasure: OverdueErasure
  #holderId: string | undefined

  constructor(settings: MirrorSettings) {
    this.#settings = settings
    this.#ledger = new Ledger(settings)
    this.#erasure = new OverdueErasure({ ...settings, ledger: this.#ledger })
  }

  /** Creates the tables if they are missing, and returns the store. */
  readonly store = once(async () => {
    const { store, fence } = this.#settings
    // A fenced engine works on one of many integrations, whose tables exist.
    if (fence === undefined) await store.migrate()
    return store
  })

  /** Stores a hint: the note of the event must be read again. Resolves when the event may be acknowledged. */
  async receive(event: WebhookEvent): Promise<void> {
    await this.store()
    const { clock, hints, integration } = this.#settings
    if (await storeHint(event, this.#ledger, clock)) hints.notify(integration)
  }

  /** Polls, and scans if a scan is due. Concurrently reads every note that is due. */
  async sync({ signal, scan: scanWhen = 'when-due' }: SyncOptions): Promise<WorkDone> {
    return await this.#work({ signal }, { scanWhen, isPollDue: true }, await this.#readCopy())
  }

  async settle(stop: StopConditions): Promise<WorkDone> {
    return await this.#work(stop, undefined, await this.#readCopy())
  }

  /** Syncs if the next poll is due, and otherwise reads the notes that are due. Does not reject if only a listing fails. */
  async work({ signal }: Pick<SyncOptions, 'signal'>): Promise<WorkDone> {
    const copy = await this.#readCopy()
    const now = this.#settings.clock.now()
    const isPollDue = now >= this.#nextPollAt(copy.progress, now)
    return await this.#work({ signal }, isPollDue ? { scanWhen: 'when-due', isPollDue } : undefined, copy)
  }

  /**
   * Does a part of the due work of an integration that is leased to this process: polls, continues a scan, or reads due notes, until
   * `shouldYield`. A poll that finds nothing makes one commit and reads nothing from the store.
   */
  async slice(copy: CopyState, stop: StopConditions): Promise<Slice> {
    const { progress: before } = copy
    const now = this.#settings.clock.now()
    const isPollDue = now >= pollDueAt(before, this.#settings.pollEveryMs, now)
    const scanAt = scanContinuesAt(before, now)
    const isListingDue = isPollDue || (scanAt !== null && now >= scanAt)
    const work = isListingDue ? ({ scanWhen: 'when-due', isPollDue } as const) : undefined
    const { settled, listed, listingError, after } = await this.#round(stop, work, undefined, copy)
    return { settled, listed, listingError, nextDueAt: after.nextDueAt, before, after: after.progress }
  }

  /** @throws KeyChangedError if the notes were listed with another key */
  async checkKey(): Promise<void> {
    await requireKey({ ...this.#settings, ledger: this.#ledger }, await this.#readCopy())
  }

  /** Erases notes whose erasure is overdue (see {@link OverdueErasure}). `sync` and `settle` do this first. */
  async eraseOverdue(): Promise<void> {
    await this.store()
    await this.#erasure.run()
  }

  /** Resolves when this process stores the next hint, when `maxMs` milliseconds have passed, or when the signal is aborted. */
  async waitForHint(maxMs: number, signal: AbortSignal): Promise<void> {
    const { clock, hints, integration } = this.#settings
    const arrived = new Wakeup()
    const stopListening = hints.listen(integration, () => arrived.wake())
    await arrived.nextWithin(maxMs, clock, signal).finally(stopListening)
  }

  async acceptRemovals(scanId: string): Promise<number> {
    await this.store()
    return await acceptRemovals(scanId, { ...this.#settings, ledger: this.#ledger }, this.#settings.hooks)
  }

  /** Reads a note and accepts the response, even if it contradicts earlier reads and events (open point 35). */
  async acceptReads(noteId: string): Promise<boolean> {
    const { client, clock, keep, hints, integration } = this.#settings
    const { sequence: start } = await requireKey({ ...this.#settings, ledger: this.#ledger }, await this.#readCopy())
    const requestedAt = clock.now()
    const note = await createNoteReader(client, new AbortController().signal)(noteId)
    const writes = await this.#ledger.revise([noteId], (state, end) => {
      if (note === undefined && state.evidence === null && state.heard === null) return undefined
      return applyAcceptedRead(state, note, { start, end, source: 'read', requestedAt, at: clock.now() }, { keep })
    })
    hints.notify(integration)
    return writes.get(noteId)?.state.presence === 'live'
  }

  async adoptKey(): Promise<void> {
    await this.store()
    await adoptKey({ ...this.#settings, ledger: this.#ledger })
    const { hooks, integration, clock } = this.#settings
    await audit(hooks, { act: 'adoptKey', integration, at: new Date(clock.now()) })
  }

  async #work(stop: StopConditions, work: ListingWork | undefined, copy: CopyState): Promise<WorkDone> {
    const { hooks, integration, clock } = this.#settings
    // `run` checks for due notes every few seconds. `aroundWork` is not called for a check that finds none.
    const isWork = work !== undefined || isDueAt(copy.nextDueAt, clock.now())
    const doRound = async () => {
      const { after, ...done } = await this.#round(stop, work, this.#holder, copy)
      const pollAt = this.#nextPollAt(after.progress, clock.now())
      const nextAt = Math.min(after.nextDueAt ?? pollAt, pollAt)
      return { ...done, nextAt, progress: after.progress }
    }
    const around = isWork ? hooks.aroundWork : undefined
    return await workInside(around, integration, doRound, ({ listingError }) => listingError)
  }

  /**
   * Checks the key before any note is read. Then erases what is overdue, lists, and concurrently reads the notes that are due.
   *
   * @param work  what to list; `undefined` to list nothing
   * @param holder  the id of this process, for the lease of the lister; `undefined` if the whole integration is leased to this process
   */
  async #round(
    { signal, shouldYield = () => false }: StopConditions,
    work: ListingWork | undefined,
    holder: string | undefined,
    copy: CopyState,
  ): Promise<Round> {
    const parts = { ...this.#settings, ledger: this.#ledger, erasure: this.#erasure }
    const checked = await requireKey(parts, copy)
    const stopped = new AbortController()
    const anySignal = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal])
    const context: SyncContext = {
      ...parts,
      key: checked.key,
      readNote: createNoteReader(parts.client, anySignal),
      signal: anySignal,
      shouldYield,
      stop: (reason) => stopped.abort(reason),
    }
    await this.#erasure.run(checked.hiddenSince)
    const queue = new DueQueue(context, checked.nextDueAt)
    const stopListening = parts.hints.listen(parts.integration, () => queue.recheck())
    const listing = work === undefined ? Promise.resolve(undefined) : list(context, work, holder, checked, queue)
    // If the listing fails, the due notes are still read. An error that every other request would meet stops the listing, too.
    const closing = listing.finally(() => queue.close())
    const [listed, settled] = await Promise.allSettled([closing, settleDue(context, queue)])
    stopListening()
    if (settled.status === 'rejected') throw settled.reason
    if (listed.status === 'rejected') throw listed.reason
    const { progress, error: listingError } = listed.value ?? {}
    const after = await this.#stateAfter(work === undefined ? checked.progress : progress, queue.nextDueAt)
    return { ...settled.value, listed: progress !== undefined, listingError, after }
  }

  /** Reads the state of the copy if a part of it is not known: the progress of another process, or when the next note is due. */
  async #stateAfter(
    progress: MirrorProgress | undefined,
    nextDueAt: number | null | undefined,
  ): Promise<Round['after']> {
    if (progress !== undefined && nextDueAt !== undefined) return { progress, nextDueAt }
    const latest = await this.#readCopy()
    return { progress: progress ?? latest.progress, nextDueAt: latest.nextDueAt }
  }

  /** The id of this process in leases. Created on first use, because Workers allow no randomness while they load a module. */
  get #holder(): string {
    this.#holderId ??= crypto.randomUUID()
    return this.#holderId
  }

  async #readCopy(): Promise<CopyState> {
    const store = await this.store()
    return await store.readProgress(this.#settings.integration)
  }

  /** When this process can next poll: the poll is due, and no other process has the lease for listing. */
  #nextPollAt(progress: MirrorProgress, now: number): number {
    const dueAt = pollDueAt(progress, this.#settings.pollEveryMs, now)
    return Math.max(dueAt, otherLeaseEnd(progress.lister, this.#holder, now) ?? dueAt)
  }
}

/** @throws the error of a listing that failed while the rest was done */
export function reportOf({ listingError, progress: _, ...report }: WorkDone): SyncReport {
  if (listingError !== undefined) throw listingError
  return report
}
