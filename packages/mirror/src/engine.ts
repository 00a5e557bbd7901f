import type { WebhookEvent } from '@notewire/protocol'
import { isAhead } from './clocks.ts'
import { MirrorError } from './errors.ts'
import { hear } from './hints/hear.ts'
import { Ledger } from './ledger.ts'
import { Lister, type ListingTools, Replaced, refuseOtherKey, takenUntil } from './listing/lister.ts'
import { poll } from './listing/poll.ts'
import type { MirrorProgress } from './listing/progress.ts'
import { scan } from './listing/scan.ts'
import type { MirrorSettings } from './mirror-options.ts'
import { ERASED_AT_ONCE, OverdueErasure } from './overdue-erasure.ts'
import type { WorkToCome } from './refreshing/due-queue.ts'
import { createNoteReader, type ReadNote } from './refreshing/note-reader.ts'
import { type Settled, settleDue } from './refreshing/settling.ts'
import { acceptRemoval } from './rules/removal.ts'
import type { LoadedNotes, MirrorStore } from './stores/store.ts'
import type { SyncOptions, SyncReport } from './sync-report.ts'
import { Wakeup } from './wakeup.ts'

/** What a mirror does, as a process does it. */
export class Engine {
  readonly #settings: MirrorSettings
  readonly #ledger: Ledger
  readonly #erasure: OverdueErasure
  readonly #hints = new Wakeup()
  #opened: Promise<MirrorStore> | undefined
  #name: string | undefined

  constructor(settings: MirrorSettings) {
    this.#ledger = new Ledger(settings)
    this.#erasure = new OverdueErasure({ ...settings, ledger: this.#ledger })
    this.#settings = { ...settings, hooks: this.#erasure.beside(settings.hooks) }
  }

  /** The store, with its tables made, and a name for the copy in it. */
  async store(): Promise<MirrorStore> {
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return await this.#opened
  }

  /** Writes an event down as a hint, and wakes whoever waits for one. */
  async hear(event: WebhookEvent): Promise<void> {
    await this.store()
    if (await hear(event, this.#ledger)) this.#hints.wake()
  }

  /** Lists what is due, and reads every note that is, while it lists. */
  async sync({ signal, scan: scanWhen = 'when-due' }: SyncOptions): Promise<SyncReport> {
    await this.#requireKey()
    await this.#erasure.run()
    const over = new AbortController()
    const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
    const readNote = createNoteReader(this.#settings.client, either)
    const pages = new Wakeup()
    let isOver = false
    const listing = this.#list({ signal: either, readNote, onPage: pages.wake, scanWhen }).finally(() => {
      isOver = true
      pages.wake()
    })
    const settling = this.#settle(either, readNote, {
      get isOver() {
        return isOver
      },
      next: () => pages.after(pages.calls),
      giveUp: (reason) => over.abort(reason),
    })
    // What is due is read even when the listing fails; what stops the reading stops the listing.
    const [listed, settled] = await Promise.allSettled([listing, settling])
    await this.#erasure.idle()
    if (settled.status === 'rejected') throw settled.reason
    if (listed.status === 'rejected') throw listed.reason
    return await this.#report(settled.value, listed.value)
  }

  /** Reads every note that is due. */
  async settle({ signal = new AbortController().signal }: Pick<SyncOptions, 'signal'>): Promise<SyncReport> {
    await this.#requireKey()
    await this.#erasure.run()
    const readNote = createNoteReader(this.#settings.client, signal)
    try {
      return await this.#report(await this.#settle(signal, readNote, NOTHING_TO_COME), false)
    } finally {
      await this.#erasure.idle()
    }
  }

  /** Does what is due by now: a sync when the next poll is, else what is due of notes. */
  async work({ signal }: Pick<SyncOptions, 'signal'>): Promise<SyncReport> {
    const store = await this.store()
    const { progress } = await store.readProgress(this.#settings.scope)
    return this.#settings.clock.now() >= this.#nextPollAt(progress)
      ? await this.sync({ signal })
      : await this.settle({ signal })
  }

  /** Erases what no read has confirmed within its time. `sync` and `settle` do so by themselves. */
  async eraseOverdue(): Promise<void> {
    await this.store()
    await this.#erasure.run()
  }

  /** Resolves with the next hint that this process hears, after some time, or when the signal fires: the earliest. */
  async nextHint(withinMs: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const either = AbortSignal.any([over.signal, signal])
    const heard = this.#hints.after(this.#hints.calls, either)
    const slept = this.#settings.clock.sleep(withinMs, either).catch(() => undefined)
    await Promise.race([heard, slept])
    over.abort()
  }

  /** Erases what a scan held back. */
  async acceptRemovals(scanId: string): Promise<number> {
    const { scope } = this.#settings
    const store = await this.store()
    let removed = 0
    for (let after = ''; ; ) {
      const noteIds = await store.listHeld(scope, scanId, after, ERASED_AT_ONCE)
      const last = noteIds.at(-1)
      if (last === undefined) break
      const revision = await this.#ledger.revise(noteIds, (state) => acceptRemoval(state, scanId))
      removed += revision === 'fenced' ? 0 : revision.notes.size
      after = last
    }
    if (removed === 0) {
      throw new MirrorError(
        'scan_unknown',
        'this scan holds nothing back: it was accepted before, or the notes came back. mirror.status().held lists those that do.',
      )
    }
    return removed
  }

  /** Replaces the key that the notes were listed with. */
  async adoptKey(): Promise<void> {
    const { client } = this.#settings
    await this.store()
    await this.#ledger.revise(
      [],
      () => undefined,
      ({ progress, progressVersion }) => ({
        progress: { expectedVersion: progressVersion, next: { ...progress, keyId: client.keyId ?? null } },
      }),
    )
  }

  async #open(): Promise<MirrorStore> {
    const { store } = this.#settings
    await store.migrate()
    const nameCopy = ({ progress, progressVersion }: LoadedNotes) =>
      progress.copyId === null
        ? { progress: { expectedVersion: progressVersion, next: { ...progress, copyId: crypto.randomUUID() } } }
        : {}
    await this.#ledger.revise([], () => undefined, nameCopy)
    return store
  }

  /** Names this process among those that list. Not made before it is needed: Workers refuse chance while they load. */
  get #holder(): string {
    this.#name ??= crypto.randomUUID()
    return this.#name
  }

  async #list(way: Pick<ListingTools, 'signal' | 'onPage'> & Listing): Promise<boolean> {
    const store = await this.store()
    const tools = { ...this.#settings, ...way, store, ledger: this.#ledger }
    const lister = await Lister.begin(tools, this.#holder)
    if (lister === undefined) return false
    try {
      await poll(lister, tools)
      const isResumed = lister.progress.scan !== null
      if (this.#isScanDue(lister, way.scanWhen)) await scan(lister, tools)
      // What left after an interrupted scan had begun, that scan need not have found.
      if (way.scanWhen === 'now' && isResumed) await scan(lister, tools)
      await lister.end()
      return true
    } catch (error) {
      if (error instanceof Replaced) return false
      await lister.end().catch(() => undefined)
      throw error
    }
  }

  #isScanDue({ progress }: Lister, when: SyncOptions['scan']): boolean {
    if (when !== 'when-due') return when === 'now'
    if (progress.scan !== null) return true
    const { clock, scanEveryMs } = this.#settings
    const now = clock.now()
    const lastAt = progress.lastScan?.beganAt ?? progress.poll.backfilledAt ?? 0
    return now - lastAt >= scanEveryMs || isAhead(lastAt, now)
  }

  /**
   * What another key cannot see proves nothing: not a single note is read with one.
   *
   * @throws KeyChangedError
   */
  async #requireKey(): Promise<void> {
    const { client, scope } = this.#settings
    await this.store()
    await this.#ledger.revise(
      [],
      () => undefined,
      ({ progress, progressVersion }) => {
        refuseOtherKey(scope, progress.keyId, client)
        return progress.keyId === null && client.keyId !== undefined
          ? { progress: { expectedVersion: progressVersion, next: { ...progress, keyId: client.keyId } } }
          : {}
      },
    )
  }

  async #settle(signal: AbortSignal, readNote: ReadNote, toCome: WorkToCome): Promise<Settled> {
    const store = await this.store()
    return await settleDue({ ...this.#settings, store, ledger: this.#ledger, readNote, signal }, toCome)
  }

  async #report(settled: Settled, listed: boolean): Promise<SyncReport> {
    const { scope, clock } = this.#settings
    const store = await this.store()
    const now = clock.now()
    const { nextDueAt } = await store.takeDue(scope, { now, until: now, limit: 0 })
    const { progress } = await store.readProgress(scope)
    return { ...settled, listed, nextAt: Math.min(nextDueAt ?? Number.POSITIVE_INFINITY, this.#nextPollAt(progress)) }
  }

  #nextPollAt({ poll: { polledAt }, lister }: MirrorProgress): number {
    const { clock, pollEveryMs } = this.#settings
    const now = clock.now()
    const dueAt = polledAt === null || isAhead(polledAt, now) ? now : polledAt + pollEveryMs
    return Math.max(dueAt, takenUntil(lister, this.#holder, now) ?? dueAt)
  }
}

interface Listing {
  readonly readNote: ReadNote
  readonly scanWhen: SyncOptions['scan']
}

const NOTHING_TO_COME: WorkToCome = { isOver: true, next: async () => undefined, giveUp: () => undefined }
