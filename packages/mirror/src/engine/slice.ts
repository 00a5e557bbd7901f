import { monotonicNow } from '@notewire/protocol'
import { keepLease, leaseFrom } from '../concurrency/lease.ts'
import { LeaseLostError } from '../errors.ts'
import { workInside } from '../hooks.ts'
import type { IntegrationRecord, NextWork, TakenIntegration } from '../integrations/integration-store.ts'
import { isPaused } from '../rules/schedule-rule.ts'
import { requestListing } from '../service/full-listing.ts'
import { afterError, nextInPause } from './after-failure.ts'
import { claimKey, engineOf, fenceOf } from './connection.ts'
import { isProbeDue } from './parking.ts'
import { removePart } from './removal.ts'
import type { ActiveWork, Outcome, SliceContext, SliceReport } from './slice-context.ts'
import { endingOf, logEnding, report } from './slice-report.ts'
import { tidy } from './tidying.ts'
import { bringUpToDate } from './usual-work.ts'
import type { Connection } from './work-settings.ts'

/** A clock that advances this much more or less than the time that passes was set, in milliseconds. */
const CLOCK_SET_MS = 10_000

/** How a slice ended. */
export interface SliceEnd {
  /** The error, if the work failed: the integration is then retried later, or parked. */
  readonly error: unknown
  /** When the next slice is due; `null` without one, or if the integration is erased; `undefined` if the lease was lost, so that nothing was scheduled. */
  readonly dueAt: number | null | undefined
  /** Whether the error is of the store. */
  readonly isStoreFailure?: boolean | undefined
  /** Absent if the work failed. */
  readonly report?: SliceReport | undefined
}

/**
 * Does one part (a slice) of the due work of an integration that this worker has taken, schedules its next work, and releases its lease.
 *
 * @throws errors of the store
 */
export async function doSlice(
  taken: TakenIntegration,
  context: SliceContext,
  work: ActiveWork = bringUpToDate(),
): Promise<SliceEnd> {
  const { settings } = context
  const { record } = taken
  const { integration } = record
  const fence = fenceOf(record)
  const ofSlice = { ...context, settings: { ...settings, clock: context.clock } }
  const renew = () => settings.integrations.renew(integration, fence, leaseFrom(settings.clock.now()).until)
  const lease = { ...settings, renew, lost: fence.lost }
  return await settings.work.during(integration, () =>
    keepLease(lease, (lost) => workUnder(taken, ofSlice, work, lost)),
  )
}

async function workUnder(
  taken: TakenIntegration,
  context: SliceContext,
  work: ActiveWork,
  lost: AbortSignal,
): Promise<SliceEnd> {
  const { settings } = context
  const { record } = taken
  const signal = AbortSignal.any([context.signal, lost])
  const doNext = () => nextWork(taken, { ...context, signal }, work).catch(outcomeOfLostLease)
  const outcome = await workInside(settings.hooks.aroundWork, record.integration, doNext, (ended) => ended.error)
  const { error, isStoreFailure, report: done } = outcome
  if (outcome.next === undefined) return { error, dueAt: error instanceof LeaseLostError ? undefined : null }
  const isLogged = isLoggedHere(outcome, context)
  const ending = endingOf(record, { next: outcome.next, error }, { ...context, isLogged })
  const dueAt = await schedule(record, ending.next, context)
  if (dueAt === undefined) return { error, dueAt, isStoreFailure }
  if (!signal.aborted) report(record, ending.next, error, { ...settings, isThrown: context.isThrown === true })
  logEnding(ending, outcome, settings)
  return { error, dueAt, isStoreFailure, report: done }
}

function isLoggedHere({ error, isStoreFailure }: Outcome, { isLogged, logsStore }: SliceContext): boolean {
  return isLogged(error) && !(isStoreFailure === true && logsStore === true)
}

/** Stores the next work, and returns when it is due. Returns `undefined`, and stores nothing, if another worker has taken the integration. */
async function schedule(record: IntegrationRecord, next: NextWork, { settings, clock }: SliceContext) {
  const offMs = clock.offMs()
  const now = clock.now() + offMs
  const written = Math.abs(offMs) > CLOCK_SET_MS ? shifted(next, offMs, now) : next
  const isWritten = await settings.integrations.finish(record, written, now)
  return isWritten ? written.dueAt : undefined
}

/** The schedule by a clock that was set during the slice. The next work is due now, because times that were written before may be wrong. */
function shifted(next: NextWork, offMs: number, now: number): NextWork {
  const { dueAt, pausedUntil } = next
  return { ...next, dueAt: dueAt && now, pausedUntil: pausedUntil && pausedUntil + offMs }
}

function outcomeOfLostLease(error: unknown): Outcome {
  if (error instanceof LeaseLostError) return { error }
  throw error
}

async function nextWork(taken: TakenIntegration, context: SliceContext, work: ActiveWork): Promise<Outcome> {
  const { record } = taken
  switch (record.state) {
    case 'removing': {
      const next = await removePart(record, context)
      await tidy({ ...context, ...context.settings })
      return { next }
    }
    case 'parked':
      return isProbeDue(record, context.settings.clock.now())
        ? await workWithKey(taken, context, probing(work))
        : { next: await nextInPause(record, context.settings) }
    case 'active':
      return await workWithKey(taken, context, work)
  }
}

/** Makes the work of a probe: one request, which a refused key fails. If the service accepts the key, it continues with the usual work. */
function probing(work: ActiveWork): ActiveWork {
  return async (taken, connection, engine, context) => {
    await engine.recordKey()
    await requestListing(connection.client, context.signal)
    return await work(taken, connection, engine, context)
  }
}

async function workWithKey(taken: TakenIntegration, context: SliceContext, work: ActiveWork): Promise<Outcome> {
  const { settings, pauses } = context
  const { record } = taken
  const { integration } = record
  let connection: Connection | undefined
  if (isPaused(record, settings.clock.now())) return { next: await nextInPause(record, settings) }
  try {
    connection = await settings.connect(integration, { ...settings, ...context })
    const waitMs = pauses.admit(connection.baseUrl, monotonicNow(settings.clock))
    if (waitMs > 0) return { next: { ...record, dueAt: settings.clock.now() + waitMs } }
    if (!(await claimKey(record, connection, settings))) throw new LeaseLostError()
    const { spread } = settings.policy
    const pollEveryMs = spread(record.pollEveryMs ?? settings.pollEveryMs, integration)
    const fullListingEveryMs = spread(settings.fullListingEveryMs, integration)
    const engine = engineOf(connection, integration, fenceOf(record), settings, { pollEveryMs, fullListingEveryMs })
    const { next, error, report } = await work(taken, connection, engine, context)
    pauses.recordAnswer(connection.baseUrl)
    return {
      next: {
        ...next,
        state: 'active',
        parkedBecause: null,
        failures: failuresAfter(record, next, error),
        pausedUntil: null,
      },
      error,
      report,
      service: connection.baseUrl,
    }
  } catch (error) {
    return await afterError(record, error, connection, context)
  }
}

/** While a listing that failed waits for its next attempt, other work that succeeds ends no failure. */
function failuresAfter({ failures }: IntegrationRecord, { listAt }: NextWork, error: unknown): number {
  if (error !== undefined) return failures + 1
  return listAt === undefined ? 0 : failures
}
