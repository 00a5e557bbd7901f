import type { KeyIdentity } from '@notewire/client'
import type { WebhookEvent } from '@notewire/protocol'
import { once } from '../concurrency/once.ts'
import { Wakeup } from '../concurrency/wakeup.ts'
import type { MirrorSettings } from '../context/mirror-options.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { SyncOptions, SyncReport } from '../context/sync-options.ts'
import { audit, workInside } from '../interfaces/mirror-hooks.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedProgress } from '../interfaces/store.ts'
import { Ledger } from '../ledger/ledger.ts'
import { OverdueErasure } from '../ledger/overdue-erasure.ts'
import { adoptKey, nameCopy, requireKey } from '../listing/key-guard.ts'
import { type Listing, list } from '../listing/list.ts'
import { nextPollAt } from '../listing/schedule.ts'
import { type Settled, settleDue } from '../refreshing/settling.ts'
import { createNoteReader } from '../service/note-reader.ts'
import { acceptReads, acceptRemovals } from './acceptance.ts'
import { hear } from './hearing.ts'

/** When a sync is to stop. */
interface Part extends Pick<SyncOptions, 'signal'> {
  /** Whether to stop after the page, or the read, under way. */
  readonly isEnough?: (() => boolean) | undefined
}

/** What a slice did, and the progress before and after it. */
export interface Slice extends SyncReport {
  readonly before: MirrorProgress
  readonly after: MirrorProgress
}

/** What a mirror does in one process. */
export class Engine {
  readonly #settings: MirrorSettings
  readonly #ledger: Ledger
  readonly #erasure: OverdueErasure
  readonly #hints = new Wakeup()
  #name: string | undefined

  /** @param name  names this process among those that list; the default is random */
  constructor(settings: MirrorSettings, name?: string) {
    this.#settings = settings
    this.#name = name
    this.#ledger = new Ledger(settings)
    this.#erasure = new OverdueErasure({ ...settings, ledger: this.#ledger })
  }

  /** The store, with its tables, and a name for the copy in it. */
  readonly store = once(async () => {
    const { store } = this.#settings
    await store.migrate()
    await nameCopy(this.#ledger)
    return store
  })

  /** Stores what an event says about its note. When it resolves, the hint is in the store and the event may be acknowledged. */
  async hear(event: WebhookEvent): Promise<void> {
    await this.store()
    if (await hear(event, this.#ledger, this.#settings.clock)) this.#hints.wake()
  }

  /** Lists what is due, and reads every note that is due, at the same time. */
  async sync({ signal, scan: scanWhen = 'when-due' }: SyncOptions): Promise<SyncReport> {
    const { hooks, integration } = this.#settings
    const work = () => this.#sync({ signal }, { scanWhen, isPollDue: true })
    return await workInside(hooks.aroundWork, integration, work)
  }

  /** Reads every note that is due. */
  async settle(part: Part): Promise<SyncReport> {
    const { hooks, integration, clock } = this.#settings
    // `run` looks for due notes every few seconds: what finds none is not wrapped.
    const isWrapped =
      hooks.aroundWork !== undefined && ((await this.#nextDueAt()) ?? Number.POSITIVE_INFINITY) <= clock.now()
    return await workInside(isWrapped ? hooks.aroundWork : undefined, integration, () => this.#settle(part))
  }

  async #settle(part: Part): Promise<SyncReport> {
    const { context } = await this.#begin(part)
    await this.#erasure.run()
    const noPages = new Wakeup()
    noPages.end()
    return await this.#report(await settleDue(context, noPages), false)
  }

  /** Syncs if the next poll is due, and otherwise reads the notes that are due. */
  async work({ signal }: Pick<SyncOptions, 'signal'>): Promise<SyncReport> {
    const { progress } = await this.#readProgress()
    return this.#isPollDue(progress) ? await this.sync({ signal }) : await this.settle({ signal })
  }

  /** Does a part of what is due: polls, goes on with a scan, or reads the notes that are due, until it is enough. */
  async slice(part: Part): Promise<Slice> {
    const { progress: before } = await this.#readProgress()
    const isPollDue = this.#isPollDue(before)
    const report =
      isPollDue || before.scan !== null
        ? await this.#sync(part, { scanWhen: 'when-due', isPollDue })
        : await this.#settle(part)
    const { progress: after } = await this.#readProgress()
    return { ...report, nextAt: after.scan === null ? report.nextAt : this.#settings.clock.now(), before, after }
  }

  /** Checks the client's key before anything else is done with it. */
  async checkKey(): Promise<void> {
    await this.#begin({})
  }

  /** Erases overdue notes. `sync` and `settle` begin with it. */
  async eraseOverdue(): Promise<void> {
    await this.store()
    await this.#erasure.run()
  }

  /** Resolves with the next hint that this process hears, after some time, or when the signal fires, whichever comes first. */
  async nextHint(withinMs: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const either = AbortSignal.any([over.signal, signal])
    const slept = this.#settings.clock.sleep(withinMs, either).catch(() => undefined)
    await Promise.race([this.#hints.next(either), slept])
    over.abort()
  }

  async acceptRemovals(scanId: string): Promise<number> {
    const store = await this.store()
    return await acceptRemovals(scanId, { ...this.#settings, store, ledger: this.#ledger })
  }

  async acceptReads(noteId: string): Promise<boolean> {
    const { context } = await this.#begin({})
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

  /** Names this process among those that list. Made on first use: Workers refuse randomness while they load. */
  get #holder(): string {
    this.#name ??= crypto.randomUUID()
    return this.#name
  }

  /** Checks the key before any note is read. */
  async #begin({ signal, isEnough = () => false }: Part): Promise<{ key: KeyIdentity; context: SyncContext }> {
    await this.store()
    const parts = { ...this.#settings, ledger: this.#ledger, erasure: this.#erasure }
    const key = await requireKey(parts)
    const stopped = new AbortController()
    const either = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal])
    const readNote = createNoteReader(this.#settings.client, either)
    return { key, context: { ...parts, readNote, signal: either, isEnough, stop: (reason) => stopped.abort(reason) } }
  }

  async #sync(part: Part, how: Pick<Listing, 'scanWhen' | 'isPollDue'>): Promise<SyncReport> {
    const { key, context } = await this.#begin(part)
    await this.#erasure.run()
    const pages = new Wakeup()
    const listing = list(context, { ...how, key, holder: this.#holder, pages }).finally(() => pages.end())
    // If the listing fails, the due notes are still read. If the reading fails, it stops the listing.
    const [listed, settled] = await Promise.allSettled([listing, settleDue(context, pages)])
    if (settled.status === 'rejected') throw settled.reason
    if (listed.status === 'rejected') throw listed.reason
    return await this.#report(settled.value, listed.value)
  }

  async #readProgress(): Promise<LoadedProgress> {
    return await (await this.store()).readProgress(this.#settings.integration)
  }

  #isPollDue(progress: MirrorProgress): boolean {
    return this.#settings.clock.now() >= nextPollAt(progress, this.#holder, this.#settings)
  }

  async #report(settled: Settled, listed: boolean): Promise<SyncReport> {
    const { integration, store } = this.#settings
    const nextDueAt = await this.#nextDueAt()
    const { progress } = await store.readProgress(integration)
    const pollAt = nextPollAt(progress, this.#holder, this.#settings)
    return { ...settled, listed, nextAt: Math.min(nextDueAt ?? Number.POSITIVE_INFINITY, pollAt) }
  }

  async #nextDueAt(): Promise<number | null> {
    const { integration, clock } = this.#settings
    const now = clock.now()
    return (await (await this.store()).takeDue(integration, { now, until: now, limit: 0 })).nextDueAt
  }
}
