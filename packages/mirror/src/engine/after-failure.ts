import { monotonicNow } from '@notewire/protocol'
import { LeaseLostError } from '../errors.ts'
import { callHook } from '../hooks.ts'
import { type IntegrationRecord, MAX_WAIT_MS, type NextWork, RANKS } from '../integrations/integration-store.ts'
import { ERASE_EVERY_MS, OverdueErasure } from '../ledger/erasure.ts'
import { needsAction } from '../reporting/lines.ts'
import { backoffAfter } from '../rules/backoff.ts'
import { isFinal, isOfStore, requestedPause } from '../service/failures.ts'
import { fenceOf, ledgerOf } from './connection.ts'
import { park, pauseFrom, postponeProbe, reasonToPark } from './parking.ts'
import { isRefusal } from './shared-pauses.ts'
import type { Outcome, SliceContext } from './slice-context.ts'
import { jittered } from './timing.ts'
import type { Connection, Policy, WorkSettings } from './work-settings.ts'

/** How much longer an integration that is not parked pauses when its key is refused: an hour at most. */
const REFUSED_KEY_FACTOR = 12

/** Decides what follows work that failed. */
export async function afterError(
  record: IntegrationRecord,
  error: unknown,
  connection: Connection | undefined,
  { settings, pauses, signal }: SliceContext,
): Promise<Outcome> {
  const { integration } = record
  const { clock, hooks, policy } = settings
  const now = clock.now()
  if (error instanceof LeaseLostError || signal.reason instanceof LeaseLostError) return { error: new LeaseLostError() }
  if (signal.aborted) return { next: { ...record, dueAt: now }, error }
  // A process that was made with a wrong key or address must not hold up those with the right one.
  if (!policy.parks && isFinal(error)) return { next: record, error, service: connection?.baseUrl }
  if (connection !== undefined && isRefusal(error)) {
    const { baseUrl } = connection
    const pauseMs = pauses.recordRefusal(baseUrl, integration, monotonicNow(clock))
    if (pauseMs !== undefined) callHook(hooks.onServicePaused, { baseUrl, until: new Date(now + pauseMs), error })
  }
  const next = await nextInPause(afterFailure(record, error, now, policy), settings)
  return { next, error, isStoreFailure: connection !== undefined && isOfStore(error), service: connection?.baseUrl }
}

function afterFailure(record: IntegrationRecord, error: unknown, now: number, policy: Policy): IntegrationRecord {
  const parkedBecause = policy.parks ? reasonToPark(error) : undefined
  if (parkedBecause !== undefined) return park(record, parkedBecause, now)
  const requestedMs = requestedPause(error, policy.longestPauseMs)
  if (record.state === 'parked') return postponeProbe(record, requestedMs, now)
  const { integration, failures } = record
  const backoffMs = backoffAfter(failures) * (needsAction(error) ? REFUSED_KEY_FACTOR : 1)
  const pauseMs = Math.max(jittered(backoffMs, integration), requestedMs)
  return { ...record, rank: Math.max(record.rank, RANKS.poll), failures: failures + 1, ...pauseFrom(now, pauseMs) }
}

/** Erases overdue notes, and schedules the next work: the end of the pause, if there is one, or an earlier erasure, or after some hours. */
export async function nextInPause(record: IntegrationRecord, settings: WorkSettings): Promise<NextWork> {
  const eraseAt = await eraseHidden(record, settings)
  const times = [eraseAt, record.pausedUntil].filter((time) => time !== null)
  return { ...record, dueAt: times.length === 0 ? null : Math.min(...times, settings.clock.now() + MAX_WAIT_MS) }
}

/** Erases hidden notes whose erasure is overdue. This needs no key. Returns when to check again; `null` if no note is hidden. */
async function eraseHidden(record: IntegrationRecord, settings: WorkSettings): Promise<number | null> {
  const { store, clock } = settings
  const { integration } = record
  const ledger = ledgerOf(integration, fenceOf(record), settings)
  await new OverdueErasure({ store, integration, clock, ledger }).run()
  const now = clock.now()
  const hidden = await store.listStates(integration, { hiddenBefore: now, limit: 1 })
  return hidden.length === 0 ? null : now + ERASE_EVERY_MS
}
