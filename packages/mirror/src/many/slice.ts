import { monotonicNow } from '@notewire/protocol'
import { keepLease, leaseFrom } from '../concurrency/lease.ts'
import type { Engine } from '../engine/engine.ts'
import {
  type IntegrationRecord,
  MAX_PAUSE_MS,
  MAX_WAIT_MS,
  type NextWork,
  RANKS,
  type TakenIntegration,
} from '../interfaces/integration-store.ts'
import { callHook, workInside } from '../interfaces/mirror-hooks.ts'
import { ERASE_EVERY_MS, OverdueErasure } from '../ledger/erasure.ts'
import { pollDueAt } from '../listing/schedule.ts'
import { backoffAfter } from '../rules/backoff.ts'
import { isPaused } from '../rules/schedule-rule.ts'
import { isOfStore, requestedPause } from '../service/failures.ts'
import { requestListing } from '../service/full-listing.ts'
import { type Connection, claimKey, connect, engineOf, fenceOf, LeaseLostError, ledgerOf } from './connection.ts'
import { isEndpointCheckDue, tryToCheckEndpoint } from './endpoint.ts'
import type { MirrorsSettings } from './mirrors-options.ts'
import { isProbeDue, park, pauseFrom, postponeProbe, reasonToPark } from './parking.ts'
import { removePart } from './removal.ts'
import { isRefusal, type SharedPauses } from './shared-pauses.ts'
import type { SliceClock } from './slice-clock.ts'
import { endingOf, logEnding, type Reason, report } from './slice-report.ts'
import { afterSlice, foundUnannounced, jittered, pollEveryAfter } from './timing.ts'

/** A clock that advances this much more or less than the time that passes was set, in milliseconds. */
const CLOCK_SET_MS = 10_000

export interface SliceContext {
  readonly settings: MirrorsSettings
  /** Begun when the integration was taken. */
  readonly clock: SliceClock
  readonly pauses: SharedPauses
  readonly signal: AbortSignal
  /** Whether to stop after the current page or read. */
  readonly shouldYield: () => boolean
  /** Whether the caller logs problems. A call that rejects only stores them. */
  readonly isLogged: boolean
  /** Whether the caller logs that the store fails. Otherwise, this is logged as a problem of the integration. */
  readonly logsStore?: boolean | undefined
}

/** The work on an integration with its key. Called after the check that no other integration uses its key. */
export type ActiveWork = (
  taken: TakenIntegration,
  connection: Connection,
  engine: Engine,
  context: SliceContext,
) => Promise<WorkDone>

interface WorkDone {
  readonly next: NextWork
  /** The error of a part that failed while the rest was done, and that does not concern other requests. */
  readonly error?: unknown
}

/** How a slice ended. */
interface SliceEnd {
  /** The error, if the work failed: the integration is then retried later, or parked. */
  readonly error: unknown
  /** When the next slice is due; `null` without one, or if the integration is erased; `undefined` if the lease was lost, so that nothing was scheduled. */
  readonly dueAt: number | null | undefined
  /** Whether the error is of the store. */
  readonly isStoreFailure?: boolean | undefined
}

/**
 * Does one part (a slice) of the due work of an integration that this worker has taken, schedules its next work, and releases its lease.
 *
 * @throws errors of the store
 */
export async function doSlice(
  taken: TakenIntegration,
  context: SliceContext,
  work: ActiveWork = bringUpToDate,
): Promise<SliceEnd> {
  const { settings } = context
  const { record } = taken
  const { integration } = record
  const fence = fenceOf(record)
  const ofSlice = { ...context, settings: { ...settings, clock: context.clock } }
  const renew = () => settings.integrations.renew(integration, fence, leaseFrom(settings.clock.now()).until)
  return await keepLease({ ...settings, renew, lost: fence.lost }, async (lost) => {
    const signal = AbortSignal.any([context.signal, lost])
    const doNext = () => nextWork(taken, { ...ofSlice, signal }, work).catch(outcomeOfLostLease)
    const outcome = await workInside(settings.hooks.aroundWork, integration, doNext, (ended) => ended.error)
    const { error } = outcome
    if (outcome.next === undefined) return { error, dueAt: error instanceof LeaseLostError ? undefined : null }
    const { isStoreFailure } = outcome
    const isLogged = isLoggedHere(outcome, context)
    const ending = endingOf(record, outcome.next, error, { ...context, isLogged })
    const dueAt = await schedule(record, ending.next, context)
    if (dueAt === undefined) return { error, dueAt, isStoreFailure }
    if (!signal.aborted) report(record, ending.next, error, settings)
    logEnding(ending, outcome, settings)
    return { error, dueAt, isStoreFailure }
  })
}

function isLoggedHere({ isStoreFailure }: Outcome, { isLogged, logsStore }: SliceContext): boolean {
  return isLogged && !(isStoreFailure === true && logsStore === true)
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

interface Outcome extends Reason {
  /** `undefined` if the lease is lost. */
  readonly next?: NextWork | undefined
}

function outcomeOfLostLease(error: unknown): Outcome {
  if (error instanceof LeaseLostError) return { error }
  throw error
}

async function nextWork(taken: TakenIntegration, context: SliceContext, work: ActiveWork): Promise<Outcome> {
  const { record } = taken
  switch (record.state) {
    case 'removing':
      return { next: await removePart(record, context) }
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
    await engine.checkKey()
    await requestListing(connection.client, context.signal)
    return await work(taken, connection, engine, context)
  }
}

/** Erases hidden notes whose erasure is overdue. This needs no key. Returns when to check again; `null` if no note is hidden. */
async function eraseHidden(record: IntegrationRecord, settings: MirrorsSettings): Promise<number | null> {
  const { store, clock } = settings
  const { integration } = record
  const ledger = ledgerOf(integration, fenceOf(record), settings)
  await new OverdueErasure({ store, integration, clock, ledger }).run()
  const now = clock.now()
  const hidden = await store.listStates(integration, { hiddenBefore: now, limit: 1 })
  return hidden.length === 0 ? null : now + ERASE_EVERY_MS
}

async function workWithKey(taken: TakenIntegration, context: SliceContext, work: ActiveWork): Promise<Outcome> {
  const { settings, pauses } = context
  const { record } = taken
  const { integration } = record
  let connection: Connection | undefined
  if (isPaused(record, settings.clock.now())) return { next: await nextInPause(record, settings) }
  try {
    connection = await connect(integration, settings, context.signal)
    const waitMs = pauses.admit(connection.baseUrl, monotonicNow(settings.clock))
    if (waitMs > 0) return { next: { ...record, dueAt: settings.clock.now() + waitMs } }
    if (!(await claimKey(record, connection, settings))) throw new LeaseLostError()
    const pollEveryMs = jittered(record.pollEveryMs ?? settings.pollEveryMs, integration)
    const scanEveryMs = jittered(settings.scanEveryMs, integration)
    const engine = engineOf(connection, integration, fenceOf(record), { ...settings, pollEveryMs, scanEveryMs })
    const { next, error } = await work(taken, connection, engine, context)
    pauses.recordAnswer(connection.baseUrl)
    const failures = error === undefined ? 0 : record.failures + 1
    return {
      next: { ...next, state: 'active', parkedBecause: null, failures, pausedUntil: null },
      error,
      service: connection.baseUrl,
    }
  } catch (error) {
    return await afterError(record, error, connection, context)
  }
}

/**
 * Polls, scans and reads due notes. Then checks the endpoint, if a check is due or a poll found changes that no event announced. If a listing or the
 * check fails and other requests do not, it is repeated with growing pauses, and delays nothing else.
 */
const bringUpToDate: ActiveWork = async ({ record, copy }, { client }, engine, { settings, signal, shouldYield }) => {
  const slice = await engine.slice(copy, { signal, shouldYield })
  const { listingError } = slice
  const now = settings.clock.now()
  const isSuspect = foundUnannounced(slice)
  const known = record.endpoint
  const isCheckDue = known !== null && (isSuspect || isEndpointCheckDue(known, now))
  const seen = { now, heardAt: copy.heardAt }
  const checked = isCheckDue
    ? await tryToCheckEndpoint(client, known, seen, isSuspect)
    : { endpoint: known, error: undefined }
  const { endpoint } = checked
  const pollEveryMs = pollEveryAfter(slice, record.pollEveryMs, endpoint, settings.pollEveryMs)
  const pollAt = pollDueAt(slice.after, jittered(pollEveryMs, record.integration), now)
  const retryAt = now + jittered(backoffAfter(record.failures), record.integration)
  const { dueAt, rank } = afterSlice(slice, pollAt, retryAt, now)
  const checkAt = endpoint === null || endpoint.status === 'active' ? dueAt : endpoint.checkAt
  const error = listingError ?? checked.error
  const synced = slice.listed && listingError === undefined ? { syncedAt: now, problem: undefined } : {}
  const next = { ...record, ...synced, rank, dueAt: Math.min(dueAt, checkAt, now + MAX_WAIT_MS), endpoint, pollEveryMs }
  return { next, error }
}

async function afterError(
  record: IntegrationRecord,
  error: unknown,
  connection: Connection | undefined,
  { settings, pauses, signal }: SliceContext,
): Promise<Outcome> {
  const { integration } = record
  const { clock, hooks } = settings
  const now = clock.now()
  if (error instanceof LeaseLostError || signal.reason instanceof LeaseLostError) return { error: new LeaseLostError() }
  if (signal.aborted) return { next: { ...record, dueAt: now }, error }
  if (connection !== undefined && isRefusal(error)) {
    const { baseUrl } = connection
    const pauseMs = pauses.recordRefusal(baseUrl, integration, monotonicNow(clock))
    if (pauseMs !== undefined) callHook(hooks.onServicePaused, { baseUrl, until: new Date(now + pauseMs), error })
  }
  const next = await nextInPause(afterFailure(record, error, now), settings)
  return { next, error, isStoreFailure: connection !== undefined && isOfStore(error), service: connection?.baseUrl }
}

function afterFailure(record: IntegrationRecord, error: unknown, now: number): IntegrationRecord {
  const parkedBecause = reasonToPark(error)
  if (parkedBecause !== undefined) return park(record, parkedBecause, now)
  const requestedMs = requestedPause(error, MAX_PAUSE_MS)
  if (record.state === 'parked') return postponeProbe(record, requestedMs, now)
  const { integration, failures } = record
  const pauseMs = Math.max(jittered(backoffAfter(failures), integration), requestedMs)
  return { ...record, rank: Math.max(record.rank, RANKS.poll), failures: failures + 1, ...pauseFrom(now, pauseMs) }
}

/** Erases overdue notes, and schedules the next work: the end of the pause, if there is one, or an earlier erasure, or after some hours. */
async function nextInPause(record: IntegrationRecord, settings: MirrorsSettings): Promise<NextWork> {
  const eraseAt = await eraseHidden(record, settings)
  const times = [eraseAt, record.pausedUntil].filter((time) => time !== null)
  return { ...record, dueAt: times.length === 0 ? null : Math.min(...times, settings.clock.now() + MAX_WAIT_MS) }
}
