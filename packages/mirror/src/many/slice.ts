import { NotesClientError, RateLimitedError } from '@notewire/client'
import type { Engine } from '../engine/engine.ts'
import { KeyChangedError, KeySharedError } from '../interfaces/errors.ts'
import {
  type IntegrationRecord,
  type NextWork,
  type ParkedBecause,
  RANKS,
  type TakenIntegration,
} from '../interfaces/integration-store.ts'
import { callHook, workInside } from '../interfaces/mirror-hooks.ts'
import { Ledger } from '../ledger/ledger.ts'
import { ERASE_EVERY_MS, OverdueErasure } from '../ledger/overdue-erasure.ts'
import { pollDueAt } from '../listing/schedule.ts'
import { pauseAfter } from '../rules/backoff.ts'
import { type Connection, connect, engineOf } from './connection.ts'
import { checkEndpoint } from './endpoint.ts'
import { claimKey } from './key-claim.ts'
import { fencedStore, holding, LeaseLostError } from './lease.ts'
import type { MirrorsSettings } from './mirrors-options.ts'
import { removeSome } from './removal.ts'
import type { SharedPauses } from './shared-pauses.ts'
import { afterSlice, foundUnannounced, pollEveryAfter, spread } from './timing.ts'

/** The longest pause that a service can ask for, in milliseconds. */
const LONGEST_GRANTED_MS = 60 * 60_000

/** What a slice of work is done with. */
export interface SliceContext {
  readonly settings: MirrorsSettings
  readonly pauses: SharedPauses
  readonly signal: AbortSignal
  /** Whether to stop after the page, or the read, under way. */
  readonly isEnough: () => boolean
}

/** Work on an active integration, with a key that is its own. */
export type ActiveWork = (
  taken: TakenIntegration,
  connection: Connection,
  engine: Engine,
  context: SliceContext,
) => Promise<NextWork>

/**
 * Does a slice of work on an integration that was taken, writes when it is due next, and gives it back.
 *
 * @returns the error after which it is tried again, or parked, if there was one
 * @throws what the store throws
 */
export async function doSlice(
  taken: TakenIntegration,
  context: SliceContext,
  work: ActiveWork = bringUpToDate,
): Promise<unknown> {
  const { settings } = context
  const { record } = taken
  const { integration, hints } = record
  return await holding(record, settings, context.signal, async (signal) => {
    const doNext = () => nextWork(taken, { ...context, signal }, work).catch(orLost)
    const { next, error } = await workInside(settings.hooks.aroundWork, integration, doNext, (outcome) => outcome.error)
    if (next === undefined) return error
    const now = settings.clock.now()
    const isWritten = await settings.store.integrations.finish(integration, record, next, { hints, now })
    if (isWritten && error !== undefined && !signal.aborted) report(next, error, integration, settings)
    return error
  })
}

interface Outcome {
  /** `undefined` if the integration is no longer this worker's. */
  readonly next?: NextWork | undefined
  readonly error?: unknown
}

function orLost(error: unknown): Outcome {
  if (error instanceof LeaseLostError) return { error }
  throw error
}

async function nextWork(taken: TakenIntegration, context: SliceContext, work: ActiveWork): Promise<Outcome> {
  const { record } = taken
  switch (record.state) {
    case 'removing':
      return { next: await removeSome(record, context) }
    case 'parked':
      return { next: await eraseHidden(record, context.settings) }
    case 'active':
      return await workWithKey(taken, context, work)
  }
}

/** Erases what events have hidden: it needs no key. */
async function eraseHidden(record: IntegrationRecord, settings: MirrorsSettings): Promise<NextWork> {
  const { store, clock } = settings
  const { integration } = record
  const fenced = fencedStore(store, record, () => new LeaseLostError())
  await new OverdueErasure({
    store: fenced,
    integration,
    clock,
    ledger: new Ledger({ store: fenced, integration }),
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
  if ((record.pausedUntil ?? 0) > settings.clock.now()) return { next: await whilePaused(record, settings) }
  try {
    connection = await connect(integration, settings, context.signal)
    const now = settings.clock.now()
    const pausedUntil = pauses.until(connection.baseUrl)
    if (pausedUntil > now) return { next: { ...record, dueAt: now + spread(pausedUntil - now, integration) + 1 } }
    if (!(await claimKey(record, connection, settings))) throw lost()
    const pollEveryMs = spread(record.pollEveryMs ?? settings.pollEveryMs, integration)
    const scanEveryMs = spread(settings.scanEveryMs, integration)
    const store = fencedStore(settings.store, record, lost)
    const engine = engineOf(connection, integration, store, { ...settings, pollEveryMs, scanEveryMs })
    const next = await work(taken, connection, engine, context)
    pauses.answered(connection.baseUrl)
    return { next: { ...next, failures: 0, pausedUntil: null } }
  } catch (error) {
    return await afterError(record, error, connection, context)
  }
}

/** Polls, scans and reads what is due; then looks at the endpoint if it is time to, or if a poll found what no event had announced. */
const bringUpToDate: ActiveWork = async ({ record, copy }, { client }, engine, { settings, signal, isEnough }) => {
  const slice = await engine.slice(copy, { signal, isEnough })
  const now = settings.clock.now()
  const isSuspect = foundUnannounced(slice)
  const isCheckDue = record.endpoint !== null && (record.endpoint.checkAt <= now || isSuspect)
  const endpoint =
    record.endpoint && isCheckDue ? await checkEndpoint(client, record.endpoint, now, isSuspect) : record.endpoint
  const pollEveryMs = pollEveryAfter(slice, record.pollEveryMs, endpoint, settings.pollEveryMs)
  const schedule = { clock: settings.clock, pollEveryMs: spread(pollEveryMs, record.integration) }
  const { dueAt, rank } = afterSlice(slice, pollDueAt(slice.after, schedule), now)
  const checkAt = endpoint === null || endpoint.status === 'active' ? dueAt : endpoint.checkAt
  return { ...record, rank, dueAt: Math.min(dueAt, checkAt), endpoint, pollEveryMs }
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
  const retryAfterMs = error instanceof RateLimitedError ? error.retryAfterMs : undefined
  if (connection !== undefined && error instanceof RateLimitedError) {
    pauses.limited(connection.baseUrl, integration, now, retryAfterMs)
  }
  const pause = Math.max(
    spread(pauseAfter(record.failures), integration),
    Math.min(retryAfterMs ?? 0, LONGEST_GRANTED_MS),
  )
  const rank = Math.max(record.rank, RANKS.poll)
  return {
    next: await whilePaused({ ...record, rank, failures: record.failures + 1, pausedUntil: now + pause }, settings),
    error,
  }
}

/** Sends no request, but erases in time. */
async function whilePaused(record: IntegrationRecord, settings: MirrorsSettings): Promise<NextWork> {
  const { dueAt } = await eraseHidden(record, settings)
  const pausedUntil = record.pausedUntil ?? 0
  return { ...record, dueAt: Math.min(dueAt ?? pausedUntil, pausedUntil) }
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
