import { NotesClientError, RateLimitedError } from '@notewire/client'
import { monotonicNow } from '@notewire/protocol'
import type { Engine } from '../engine/engine.ts'
import { KeyChangedError, KeySharedError } from '../interfaces/errors.ts'
import {
  type IntegrationRecord,
  isTooFarAhead,
  MAX_WAIT_MS,
  type NextWork,
  type ParkedBecause,
  RANKS,
  type TakenIntegration,
} from '../interfaces/integration-store.ts'
import { callHook, workInside } from '../interfaces/mirror-hooks.ts'
import { Ledger } from '../ledger/ledger.ts'
import { ERASE_EVERY_MS, OverdueErasure } from '../ledger/overdue-erasure.ts'
import { pollDueAt } from '../listing/schedule.ts'
import { backoffAfter } from '../rules/backoff.ts'
import { requestedPause } from '../service/failures.ts'
import { type Connection, claimKey, connect, engineOf } from './connection.ts'
import { checkEndpoint } from './endpoint.ts'
import { LeaseLostError, withLease } from './lease.ts'
import type { MirrorsSettings } from './mirrors-options.ts'
import { removePart } from './removal.ts'
import type { SharedPauses } from './shared-pauses.ts'
import { fencedStore } from './store-wrappers.ts'
import { afterSlice, foundUnannounced, jittered, pollEveryAfter } from './timing.ts'

/** A clock that advances this much more or less than the time that passes was set, in milliseconds. */
const CLOCK_SET_MS = 10_000

export interface SliceContext {
  readonly settings: MirrorsSettings
  readonly pauses: SharedPauses
  readonly signal: AbortSignal
  /** Whether to stop after the current page or read. */
  readonly shouldYield: () => boolean
}

/** The work on an active integration. Called after the check that no other integration uses its key. */
export type ActiveWork = (
  taken: TakenIntegration,
  connection: Connection,
  engine: Engine,
  context: SliceContext,
) => Promise<NextWork>

/**
 * Does one part (a slice) of the due work of an integration that this worker has taken, schedules its next work, and releases its lease.
 *
 * @returns the error, if the work failed: the integration is then retried later, or parked until the user acts
 * @throws errors of the store
 */
export async function doSlice(
  taken: TakenIntegration,
  context: SliceContext,
  work: ActiveWork = bringUpToDate,
): Promise<unknown> {
  const { settings } = context
  const { record } = taken
  const { integration, hints } = record
  const { clock } = settings
  const began = { at: clock.now(), reading: monotonicNow(clock) }
  return await withLease(record, settings, context.signal, async (signal) => {
    const doNext = () => nextWork(taken, { ...context, signal }, work).catch(outcomeOfLostLease)
    const { next, error } = await workInside(settings.hooks.aroundWork, integration, doNext, (outcome) => outcome.error)
    if (next === undefined) return error
    const now = clock.now()
    const setByMs = Math.abs(now - began.at - (monotonicNow(clock) - began.reading))
    // If the clock was set during the slice, the schedule mixes two clocks.
    const written = setByMs > CLOCK_SET_MS && next.dueAt !== null ? { ...next, dueAt: now } : next
    const isWritten = await settings.store.integrations.finish(integration, record, written, { hints, now })
    if (isWritten && error !== undefined && !signal.aborted) report(next, error, integration, settings)
    return error
  })
}

interface Outcome {
  /** `undefined` if the lease is lost. */
  readonly next?: NextWork | undefined
  readonly error?: unknown
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
      return { next: await eraseHidden(record, context.settings) }
    case 'active':
      return await workWithKey(taken, context, work)
  }
}

/** Erases hidden notes whose erasure is overdue. This needs no key. */
async function eraseHidden(record: IntegrationRecord, settings: MirrorsSettings): Promise<NextWork> {
  const { store, clock } = settings
  const { integration } = record
  const fenced = fencedStore(store, record, () => new LeaseLostError())
  await new OverdueErasure({
    store: fenced,
    integration,
    clock,
    ledger: new Ledger({ store: fenced, integration, clock }),
  }).run()
  const now = clock.now()
  const hidden = await store.listOverdue(integration, now, 1)
  return { ...record, dueAt: hidden.length === 0 ? null : now + ERASE_EVERY_MS }
}

async function workWithKey(taken: TakenIntegration, context: SliceContext, work: ActiveWork): Promise<Outcome> {
  const { settings, pauses } = context
  const { record } = taken
  const { integration } = record
  const lost = () => new LeaseLostError()
  let connection: Connection | undefined
  if (isInFuture(record.pausedUntil ?? 0, settings.clock.now())) return { next: await nextInPause(record, settings) }
  try {
    connection = await connect(integration, settings, context.signal)
    const now = settings.clock.now()
    const pausedUntil = pauses.until(connection.baseUrl)
    if (isInFuture(pausedUntil, now)) {
      return { next: { ...record, dueAt: now + jittered(pausedUntil - now, integration) + 1 } }
    }
    if (!(await claimKey(record, connection, settings))) throw lost()
    const pollEveryMs = jittered(record.pollEveryMs ?? settings.pollEveryMs, integration)
    const scanEveryMs = jittered(settings.scanEveryMs, integration)
    const store = fencedStore(settings.store, record, lost)
    const engine = engineOf(connection, integration, store, { ...settings, pollEveryMs, scanEveryMs })
    const next = await work(taken, connection, engine, context)
    pauses.recordAnswer(connection.baseUrl)
    return { next: { ...next, failures: 0, pausedUntil: null } }
  } catch (error) {
    return await afterError(record, error, connection, context)
  }
}

/** Polls, scans and reads due notes. Then checks the endpoint, if a check is due or a poll found changes that no event announced. */
const bringUpToDate: ActiveWork = async ({ record, copy }, { client }, engine, { settings, signal, shouldYield }) => {
  const slice = await engine.slice(copy, { signal, shouldYield })
  const now = settings.clock.now()
  const isSuspect = foundUnannounced(slice)
  const known = record.endpoint
  const isCheckDue = known !== null && (!isInFuture(known.checkAt, now) || isSuspect)
  const seen = { now, heardAt: copy.heardAt }
  const endpoint = isCheckDue ? await checkEndpoint(client, known, seen, isSuspect) : known
  const pollEveryMs = pollEveryAfter(slice, record.pollEveryMs, endpoint, settings.pollEveryMs)
  const schedule = { clock: settings.clock, pollEveryMs: jittered(pollEveryMs, record.integration) }
  const { dueAt, rank } = afterSlice(slice, pollDueAt(slice.after, schedule), now)
  const checkAt = endpoint === null || endpoint.status === 'active' ? dueAt : endpoint.checkAt
  return { ...record, rank, dueAt: Math.min(dueAt, checkAt, now + MAX_WAIT_MS), endpoint, pollEveryMs }
}

async function afterError(
  record: IntegrationRecord,
  error: unknown,
  connection: Connection | undefined,
  { settings, pauses, signal }: SliceContext,
): Promise<Outcome> {
  const { integration } = record
  const now = settings.clock.now()
  if (error instanceof LeaseLostError || signal.reason instanceof LeaseLostError) return { error: new LeaseLostError() }
  if (signal.aborted) return { next: { ...record, dueAt: now }, error }
  const parkedBecause = reasonToPark(error)
  if (parkedBecause !== undefined) {
    return { next: { ...(await eraseHidden(record, settings)), state: 'parked', parkedBecause, failures: 0 }, error }
  }
  if (connection !== undefined && error instanceof RateLimitedError) {
    pauses.recordRateLimit(connection.baseUrl, integration, now, error.retryAfterMs)
  }
  const pause = Math.max(jittered(backoffAfter(record.failures), integration), requestedPause(error))
  const rank = Math.max(record.rank, RANKS.poll)
  return {
    next: await nextInPause({ ...record, rank, failures: record.failures + 1, pausedUntil: now + pause }, settings),
    error,
  }
}

/** Erases overdue notes, and schedules the next work: the end of the pause, or an earlier erasure. */
async function nextInPause(record: IntegrationRecord, settings: MirrorsSettings): Promise<NextWork> {
  const { dueAt } = await eraseHidden(record, settings)
  const pausedUntil = record.pausedUntil ?? 0
  return { ...record, dueAt: Math.min(dueAt ?? pausedUntil, pausedUntil) }
}

/** Whether a stored time is in the future. A time that is too far ahead was written by a wrong clock, and does not count. */
function isInFuture(time: number, now: number): boolean {
  return time > now && !isTooFarAhead(time, now)
}

function reasonToPark(error: unknown): ParkedBecause | undefined {
  if (error instanceof KeySharedError) return 'key_shared'
  if (error instanceof KeyChangedError) return 'key_changed'
  const isRefused = error instanceof NotesClientError && (error.code === 'unauthorized' || error.code === 'forbidden')
  return isRefused ? 'key_refused' : undefined
}

function report(
  { state, parkedBecause }: NextWork,
  error: unknown,
  integration: string,
  { hooks }: MirrorsSettings,
): void {
  if (state !== 'parked') callHook(hooks.onProblem, { integration, error })
  else if (parkedBecause !== null) callHook(hooks.onParked, { integration, because: parkedBecause })
}
