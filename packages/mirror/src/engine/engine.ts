import type { KeyIdentity } from '@notewire/client'
import type { WebhookEvent } from '@notewire/protocol'
import { once } from '../concurrency/once.ts'
import { Wakeup } from '../concurrency/wakeup.ts'
import type { MirrorSettings } from '../context/mirror-options.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { SyncOptions, SyncReport } from '../context/sync-options.ts'
import { audit, workInside } from '../interfaces/mirror-hooks.ts'
import type { CopyState, MirrorProgress } from '../interfaces/progress.ts'
import { Ledger } from '../ledger/ledger.ts'
import { OverdueErasure } from '../ledger/overdue-erasure.ts'
import { adoptKey, ensureCopyId, recordedKey, requireKey } from '../listing/key-guard.ts'
import { type Listing, list } from '../listing/list.ts'
import { otherLeaseEnd, pollDueAt } from '../listing/schedule.ts'
import { settleDue } from '../refreshing/settling.ts'
import { isPostponedByWrongClock } from '../rules/backoff.ts'
import { createNoteReader } from '../service/note-reader.ts'
import { acceptReads, acceptRemovals } from './acceptance.ts'
import { storeHint } from './store-hint.ts'

interface StopConditions extends Pick<SyncOptions, 'signal'> {
  /** Whether to stop after the current page or read. */
  readonly shouldYield?: (() => boolean) | undefined
}

interface Synced extends Pick<Slice, 'settled' | 'nextDueAt'>, Pick<SyncReport, 'postponed'> {
  /** The progress after the listing; `undefined` if this process has not listed. */
  readonly listed: MirrorProgress | undefined
  /** The latest progress. */
  readonly progress: MirrorProgress
}

/** The result of {@link Engine.slice}, with the progress before and after it. */
export interface Slice extends Pick<SyncReport, 'settled' | 'listed'> {
  /** When the next note is due; `null` when none is. */
  readonly nextDueAt: number | null
  readonly before: MirrorProgress
  readonly after: MirrorProgress
}

/** Does the work of a mirror in this process: stores the hints of events, lists, and reads the notes that are due. */
export class Engine {
  readonly #settings: MirrorSettings
  readonly #ledger: Ledger
  readonly #erasure: OverdueErasure
  readonly #hints = new Wakeup()
  #holderId: string | undefined

  constructor(settings: MirrorSettings) {
    this.#settings = settings
    this.#ledger = new Ledger(settings)
    this.#erasure = new OverdueErasure({ ...settings, ledger: this.#ledger })
  }

  /** Creates the tables and the id of the copy if they are missing, and returns the store. */
  readonly store = once(async () => {
    const { store, integration } = this.#settings
    await store.migrate()
    if ((await store.readProgress(integration)).progress.copyId === null) await ensureCopyId(this.#ledger)
    return store
  })

  /** Stores a hint: the note of the event must be read again. Resolves when the event may be acknowledged. */
  async receive(event: WebhookEvent): Promise<void> {
    await this.store()
    if (await storeHint(event, this.#ledger, this.#settings.clock)) this.#hints.wake()
  }

  /** Polls, and scans if a scan is due. Concurrently reads every note that is due. */
  async sync({ signal, scan: scanWhen = 'when-due' }: SyncOptions): Promise<SyncReport> {
    await this.store()
    const { hooks, integration } = this.#settings
    const what = { scanWhen, isPollDue: true }
    const work = async () => this.#report(await this.#sync({ signal }, what, await this.#readCopy(), this.#holder))
    return await workInside(hooks.aroundWork, integration, work)
  }

  /** Reads every note that is due. */
  async settle(stop: StopConditions): Promise<SyncReport> {
    return await this.#settle(stop, await this.#readCopy())
  }

  async #settle(stop: StopConditions, copy: CopyState): Promise<SyncReport> {
    const { hooks, integration } = this.#settings
    const work = async () => this.#report(await this.#sync(stop, 'no listing', copy, this.#holder))
    // `run` checks for due notes every few seconds. `aroundWork` is not called for a check that finds none.
    return await workInside(this.#isAnyDue(copy) ? hooks.aroundWork : undefined, integration, work)
  }

  /** Syncs if the next poll is due, and otherwise reads the notes that are due. */
  async work({ signal }: Pick<SyncOptions, 'signal'>): Promise<SyncReport> {
    const copy = await this.#readCopy()
    const isPollDue = this.#settings.clock.now() >= this.#nextPollAt(copy.progress)
    return isPollDue ? await this.sync({ signal }) : await this.#settle({ signal }, copy)
  }

  /**
   * Does a part of the due work of an integration that is leased to this process: polls, continues a scan, or reads due notes, until
   * `shouldYield`. A poll that finds nothing makes one commit and reads nothing from the store.
   */
  async slice(copy: CopyState, stop: StopConditions): Promise<Slice> {
    const { progress: before } = copy
    const isPollDue = this.#settings.clock.now() >= pollDueAt(before, this.#settings)
    const what = isPollDue || before.scan !== null ? ({ scanWhen: 'when-due', isPollDue } as const) : 'no listing'
    const { settled, listed, nextDueAt } = await this.#sync(stop, what, copy, undefined)
    return { settled, listed: listed !== undefined, nextDueAt, before, after: listed ?? before }
  }

  /** @throws KeyChangedError if the notes were listed with another key */
  async checkKey(): Promise<void> {
    await this.#begin({}, (await this.#readCopy()).progress)
  }

  /** Erases notes whose erasure is overdue (see {@link OverdueErasure}). `sync` and `settle` do this first. */
  async eraseOverdue(): Promise<void> {
    await this.store()
    await this.#erasure.run()
  }

  /** Resolves when this process stores the next hint, when `maxMs` milliseconds have passed, or when the signal is aborted. */
  async waitForHint(maxMs: number, signal: AbortSignal): Promise<void> {
    await this.#hints.nextWithin(maxMs, this.#settings.clock, signal)
  }

  async acceptRemovals(scanId: string): Promise<number> {
    const store = await this.store()
    return await acceptRemovals(scanId, { ...this.#settings, store, ledger: this.#ledger })
  }

  async acceptReads(noteId: string): Promise<boolean> {
    const { context } = await this.#begin({}, (await this.#readCopy()).progress)
    const isLive = await acceptReads(noteId, context)
    this.#hints.wake()
    return isLive
  }

  async adoptKey(): Promise<void> {
    const store = await this.store()
    await adoptKey({ ...this.#settings, store, ledger: this.#ledger })
    const { hooks, integration, clock } = this.#settings
    await audit(hooks, { act: 'adoptKey', integration, at: new Date(clock.now()) })
  }

  /** The id of this process in leases. Created on first use, because Workers allow no randomness while they load a module. */
  get #holder(): string {
    this.#holderId ??= crypto.randomUUID()
    return this.#holderId
  }

  /** Checks the key, and makes the context of a sync. Call it before any note is read. */
  async #begin(
    { signal, shouldYield = () => false }: StopConditions,
    progress: MirrorProgress,
  ): Promise<{ key: KeyIdentity; context: SyncContext }> {
    const parts = { ...this.#settings, ledger: this.#ledger, erasure: this.#erasure }
    const key = await requireKey(parts, progress)
    const stopped = new AbortController()
    const anySignal = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal])
    const readNote = createNoteReader(this.#settings.client, anySignal)
    return {
      key,
      context: { ...parts, readNote, signal: anySignal, shouldYield, stop: (reason) => stopped.abort(reason) },
    }
  }

  /**
   * @param copy  the state of the copy, which was just read
   * @param holder  the id of this process; `undefined` if the whole integration is leased to it
   */
  async #sync(
    stop: StopConditions,
    what: Pick<Listing, 'scanWhen' | 'isPollDue'> | 'no listing',
    copy: CopyState,
    holder: string | undefined,
  ): Promise<Synced> {
    const { store, integration, clock } = this.#settings
    const { key, context } = await this.#begin(stop, copy.progress)
    // `#begin` has just recorded the first key of a new copy, so `copy` is outdated.
    const loaded = recordedKey(copy.progress) === null ? await store.readProgress(integration, clock.now()) : copy
    await this.#erasure.run(copy.hiddenSince)
    const pages = new Wakeup()
    const listing =
      what === 'no listing' ? Promise.resolve(undefined) : list(context, { ...what, key, holder, loaded, pages })
    const isAnyDue = this.#isAnyDue(copy)
    // If the listing fails, the due notes are still read. If reading the due notes fails, `settleDue` stops the listing.
    const [listed, settled] = await Promise.allSettled([
      listing.finally(() => pages.end()),
      settleDue(context, pages, isAnyDue),
    ])
    if (settled.status === 'rejected') throw settled.reason
    if (listed.status === 'rejected') throw listed.reason
    const nextDueAt = isAnyDue || pages.count > 0 ? settled.value.nextDueAt : copy.nextDueAt
    const isListedElsewhere = listed.value === undefined && what !== 'no listing'
    const latest =
      nextDueAt === undefined || isListedElsewhere
        ? await store.readProgress(integration, clock.now())
        : { ...copy, nextDueAt }
    return {
      ...settled.value,
      nextDueAt: latest.nextDueAt,
      listed: listed.value,
      progress: listed.value ?? latest.progress,
    }
  }

  async #readCopy(): Promise<CopyState> {
    const store = await this.store()
    const { integration, clock } = this.#settings
    return await store.readProgress(integration, clock.now())
  }

  #isAnyDue({ nextDueAt }: CopyState): boolean {
    const now = this.#settings.clock.now()
    return nextDueAt !== null && (nextDueAt <= now || isPostponedByWrongClock(nextDueAt, now))
  }

  #report({ settled, postponed, listed, progress, nextDueAt }: Synced): SyncReport {
    const nextAt = Math.min(nextDueAt ?? Number.POSITIVE_INFINITY, this.#nextPollAt(progress))
    return { settled, postponed, listed: listed !== undefined, nextAt }
  }

  /** When this process can next poll: the poll is due, and no other process has the lease for listing. */
  #nextPollAt(progress: MirrorProgress): number {
    const dueAt = pollDueAt(progress, this.#settings)
    return Math.max(dueAt, otherLeaseEnd(progress.lister, this.#holder, this.#settings.clock.now()) ?? dueAt)
  }
}
