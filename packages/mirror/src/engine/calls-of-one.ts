import { pauseAfterLoss } from '../concurrency/lease.ts'
import { IntegrationRemovedError, LeaseLostError, MirrorInUseError } from '../errors.ts'
import type { SyncOptions, SyncReport } from '../fetching/sync.ts'
import { callHook, workInside } from '../hooks.ts'
import { type IntegrationRecord, RANKS, type TakenIntegration } from '../integrations/integration-store.ts'
import type { Problem } from '../integrations/problem.ts'
import { pollDueAt } from '../listing/schedule.ts'
import { StoreOutage } from '../reporting/store-outage.ts'
import { isDueAt } from '../rules/backoff.ts'
import { codeOf, stepAfter } from '../rules/problem-rule.ts'
import { isDue, nextAt } from '../rules/schedule-rule.ts'
import { isFinal, isOfStore } from '../service/failures.ts'
import { ClockConflicts } from './clock-conflicts.ts'
import { engineOf } from './connection.ts'
import type { CopyOfOne } from './copy-of-one.ts'
import { dispatch } from './dispatch.ts'
import { openRepeatedly } from './opening.ts'
import { copyWithKey } from './recorded-key.ts'
import { SharedPauses } from './shared-pauses.ts'
import { doSlice, type SliceEnd } from './slice.ts'
import { sliceClock } from './slice-clock.ts'
import type { ActiveWork } from './slice-context.ts'
import { takeNow, takeRequest } from './taking.ts'
import { bringUpToDate } from './usual-work.ts'
import type { WorkSettings } from './work-settings.ts'

/** The codes of a refused key, which a call tries again whenever it is made: the key may have been replaced. */
const REFUSED: ReadonlySet<string> = new Set(['unauthorized', 'forbidden'])

/** The calls that bring one copy up to date. */
export class CallsOfOne {
  readonly #integration: string
  readonly #settings: WorkSettings
  readonly #copy: CopyOfOne
  readonly #pauses = new SharedPauses()
  readonly #conflicts = new ClockConflicts()
  /** Set while `run` runs. */
  #outage: StoreOutage | undefined
  #unstored: Problem | null = null

  constructor(integration: string, settings: WorkSettings, copy: CopyOfOne) {
    this.#integration = integration
    this.#settings = settings
    this.#copy = copy
  }

  /** The problem of the store, which could not be stored; `null` if there is none. */
  get unstored(): Problem | null {
    return this.#outage?.problem ?? this.#unstored
  }

  /** See `Mirror.sync`. */
  async sync(fullListingWhen: NonNullable<SyncOptions['fullListing']>, signal: AbortSignal): Promise<SyncReport> {
    return await this.#call(signal, async () => {
      for (let losses = 0; ; losses += 1) {
        const taken = await this.#takeNow(await this.#copy.read(), fullListingWhen, signal)
        const isFullListingAsked = taken.record.fullListingAskedAt !== undefined
        const end = await this.#slice(
          taken,
          signal,
          bringUpToDate({ isPollDue: true, fullListingWhen, isFullListingAsked }),
        )
        if (!(end.error instanceof LeaseLostError)) return this.#reportOf(end)
        await pauseAfterLoss(losses, this.#settings.clock, signal)
      }
    })
  }

  async #takeNow(
    known: IntegrationRecord,
    fullListingWhen: SyncOptions['fullListing'],
    signal: AbortSignal,
  ): Promise<TakenIntegration> {
    const { integrations, work, clock } = this.#settings
    const taken = await takeNow(this.#integration, this.#settings, {
      known,
      signal,
      onBusy: async () => {
        if (work.isRunning(this.#integration)) return
        await integrations.ask(
          this.#integration,
          fullListingWhen === 'now' ? ['poll', 'full-listing'] : ['poll'],
          clock.now(),
        )
      },
      busy: ({ worker = 'another worker', leaseUntil }) =>
        new MirrorInUseError(this.#integration, worker, new Date(leaseUntil ?? clock.now())),
    })
    if (taken === undefined) throw new IntegrationRemovedError(this.#integration)
    return taken
  }

  /** See `Mirror.work`. */
  async work(signal: AbortSignal): Promise<SyncReport> {
    return await this.#call(signal, async () => {
      const record = await this.#prepare(await this.#copy.read())
      const taken = await this.#takeDue(record)
      if (taken !== undefined) return this.#reportOf(await this.#slice(taken, signal, bringUpToDate()))
      // Checks the key even if nothing is due. If another process is listing, the notes of events do not wait for it.
      const { clock, pollEveryMs } = this.#settings
      const { settled, postponed } = await this.#settle(signal)
      return { settled, postponed, listed: false, nextAt: nextAt(record, clock.now()) ?? clock.now() + pollEveryMs }
    })
  }

  async #takeDue(record: IntegrationRecord): Promise<TakenIntegration | undefined> {
    const { store, clock } = this.#settings
    const now = clock.now()
    if (!isDue(record, now)) return undefined
    const request = { ...takeRequest(this.#settings, now), maxRank: RANKS.fullListing, integration: this.#integration }
    return await store.integrations.take(request)
  }

  /** See `Mirror.settle`. */
  async settle(signal: AbortSignal): Promise<SyncReport> {
    return await this.#call(signal, async () => {
      await this.#copy.read()
      try {
        return { ...(await this.#settle(signal)), listed: false }
      } catch (error) {
        if (!signal.aborted) await this.#store(error)
        throw error
      }
    })
  }

  /** See `Mirror.run`. */
  async run(signal: AbortSignal): Promise<void> {
    const { hooks, log, policy, clock } = this.#settings
    const integration = this.#integration
    const outage = new StoreOutage(this.#settings)
    const onError = (error: unknown) => callHook(hooks.onProblem, { error, integration })
    this.#outage = outage
    try {
      await openRepeatedly(() => this.#open(), { signal, clock, outage, onError })
      const parts = { settings: this.#settings, pauses: this.#pauses, conflicts: this.#conflicts }
      const ends = policy.parks ? {} : { isFinal }
      await log.duringRun(() => dispatch({ ...parts, signal, concurrency: 1, integration, onError, outage, ...ends }))
    } finally {
      this.#outage = undefined
      log.writeAll()
    }
  }

  /** Opens the store, and ends a pause: a process that was started again may have another key. */
  async #open(): Promise<void> {
    const { integrations, clock, policy } = this.#settings
    await this.#copy.read()
    if (policy.isSingle) await integrations.wake(this.#integration, clock.now())
  }

  /** Makes the integration of `createMirror` due if the schedule that is stored is not that of this process, or if its key was refused. */
  async #prepare(record: IntegrationRecord): Promise<IntegrationRecord> {
    const { integrations, clock, policy, pollEveryMs } = this.#settings
    if (!policy.isSingle) return record
    const { dueAt, problem } = record
    const now = clock.now()
    const isRefused = problem !== undefined && REFUSED.has(problem.code)
    if (!isRefused && dueAt !== null && dueAt <= now + pollEveryMs) return record
    if (isRefused) await integrations.wake(this.#integration, now)
    else await integrations.hurry(this.#integration, now)
    return await this.#copy.read()
  }

  async #slice(taken: TakenIntegration, signal: AbortSignal, work: ActiveWork): Promise<SliceEnd> {
    const settings = this.#settings
    const clock = sliceClock(settings.clock)
    const ends = { signal, shouldYield: () => false, isLogged: () => false, isThrown: true }
    return await doSlice(taken, { settings, clock, pauses: this.#pauses, ...ends }, work)
  }

  /** @throws the error of the slice */
  #reportOf({ error, report, dueAt }: SliceEnd): SyncReport {
    if (error !== undefined) throw error
    const { clock, pollEveryMs } = this.#settings
    const done = report ?? { listed: false, settled: 0, postponed: 0 }
    return { ...done, nextAt: dueAt ?? clock.now() + pollEveryMs }
  }

  /** Reads the notes that are due. This needs no lease. */
  async #settle(signal: AbortSignal): Promise<Omit<SyncReport, 'listed'>> {
    const { clock, hooks, pollEveryMs } = this.#settings
    const integration = this.#integration
    const generation = await this.#copy.generation()
    const fence = { generation, lost: () => new IntegrationRemovedError(integration) }
    const connection = await this.#settings.connect(integration, { clock, signal })
    const copy = await copyWithKey({ integration, generation, connection, signal }, this.#settings)
    const settle = () => engineOf(connection, integration, fence, this.#settings).settle({ signal }, copy)
    const around = isDueAt(copy.nextDueAt, clock.now()) ? hooks.aroundWork : undefined
    const { settled, postponed, nextDueAt, after } = await workInside(around, integration, settle)
    const pollAt = pollDueAt(after, pollEveryMs, clock.now())
    return { settled, postponed, nextAt: Math.min(nextDueAt ?? pollAt, pollAt) }
  }

  /** Stores the problem of a call that lists nothing. */
  async #store(error: unknown): Promise<void> {
    const { integrations, clock } = this.#settings
    await integrations.report(this.#integration, (known) => stepAfter(known, codeOf(error), false, clock.now()))
  }

  /** Makes a call of the user. It rejects with its error, and logs nothing. */
  async #call(signal: AbortSignal, work: () => Promise<SyncReport>): Promise<SyncReport> {
    try {
      const report = await work()
      this.#unstored = null
      return report
    } catch (error) {
      const isUnstored = !signal.aborted && isOfStore(error)
      if (isUnstored) this.#unstored ??= { code: codeOf(error), since: new Date(this.#settings.clock.now()) }
      throw error
    }
  }
}
