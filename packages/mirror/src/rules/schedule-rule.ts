import {
  type IntegrationRecord,
  MAX_PAUSE_MS,
  MAX_WAIT_MS,
  type NextWork,
  RANKS,
} from '../interfaces/integration-store.ts'
import { ERASE_WITHIN_MS } from '../interfaces/note-state.ts'
import { isAhead } from './time.ts'

/** Whether a time was written by a clock that was ahead, or before a clock was set back. */
export function isTooFarAhead(time: number, now: number): boolean {
  return time > now + MAX_WAIT_MS
}

/** Whether an integration is in a pause. One that begins in the future was written by a clock that was ahead, and does not count. */
export function isPaused({ pausedUntil, pauseMs = MAX_PAUSE_MS }: NextWork, now: number): boolean {
  return pausedUntil !== null && pausedUntil > now && !isAhead(pausedUntil - pauseMs, now)
}

/** Makes the record of a new integration. */
export function newIntegration(integration: string, generation: string, dueAt: number): IntegrationRecord {
  return {
    integration,
    generation,
    version: 0,
    state: 'active',
    parkedBecause: null,
    dueAt,
    rank: RANKS.backfill,
    hints: 0,
    token: 0,
    leaseUntil: null,
    failures: 0,
    pausedUntil: null,
    keyPrint: null,
    pollEveryMs: null,
    endpoint: null,
  }
}

/**
 * Adds an integration, if there is none. One that is being removed and waits for its consumers (`pausedUntil`) becomes another copy, with the same
 * consumers: the notes of the earlier copy are erased already.
 */
export function added(known: IntegrationRecord | undefined, next: IntegrationRecord): IntegrationRecord {
  if (known === undefined) return next
  if (known.state !== 'removing' || known.pausedUntil === null) return known
  return { ...next, version: known.version, hints: known.hints, token: known.token }
}

/**
 * Ends the lease and schedules the next work. If a hint has arrived since the integration was taken, it is due now or after its pause, and
 * `next.dueAt` is ignored.
 *
 * @param hints  those of the record that was taken
 */
export function finished(
  record: IntegrationRecord,
  next: NextWork,
  { hints, now }: { readonly hints: number; readonly now: number },
): IntegrationRecord {
  const {
    state,
    parkedBecause,
    dueAt,
    rank,
    failures,
    pausedUntil,
    pauseMs,
    pollEveryMs,
    endpoint,
    problem,
    syncedAt,
  } = next
  const { problem: _, syncedAt: __, ...before } = record
  const work = { state, parkedBecause, failures, pausedUntil, pollEveryMs, endpoint, leaseUntil: null }
  // A store that keeps JSON returns no field that is `undefined`.
  const present = {
    ...(pauseMs !== undefined && { pauseMs }),
    ...(problem !== undefined && { problem }),
    ...(syncedAt !== undefined && { syncedAt }),
  }
  const after = { ...before, ...work, ...present }
  if (record.hints === hints) return { ...after, dueAt, rank }
  return { ...after, dueAt: dueAfterHint(next, now), rank: RANKS.hint }
}

/** A parked integration erases the note that the hint hid, but does not read it. */
function dueAfterHint({ state, pausedUntil }: NextWork, now: number): number {
  if (state !== 'parked') return Math.max(now, pausedUntil ?? 0)
  return Math.min(now + ERASE_WITHIN_MS, pausedUntil ?? Number.POSITIVE_INFINITY)
}

/** Makes an active integration due now and ends its pause. While a worker has it, it becomes due again when the worker finishes. */
export function woken(record: IntegrationRecord, now: number): IntegrationRecord {
  if (record.state !== 'active') return record
  const dueAt = Math.min(record.dueAt ?? now, now)
  return { ...record, hints: record.hints + 1, failures: 0, pausedUntil: null, dueAt }
}

/** Makes an active integration due now, or after its pause. While a worker has it, it becomes due again when the worker finishes. */
export function hurried(record: IntegrationRecord, now: number): IntegrationRecord {
  if (record.state !== 'active') return record
  const earliest = Math.max(now, record.pausedUntil ?? now)
  return { ...record, hints: record.hints + 1, dueAt: Math.min(record.dueAt ?? earliest, earliest) }
}

/** Makes a parked integration active and due, and ends the lease of a worker that probes its key. */
export function resumed(record: IntegrationRecord, now: number): IntegrationRecord {
  if (record.state !== 'parked') return record
  const active = { state: 'active', parkedBecause: null, dueAt: now, failures: 0, pausedUntil: null } as const
  return { ...record, ...active, token: record.token + 1, leaseUntil: null }
}

/** Begins the removal: another generation ends every lease. */
export function removed(record: IntegrationRecord, generation: string, now: number): IntegrationRecord {
  if (record.state === 'removing') return record
  const { version, hints, token } = record
  return { ...newIntegration(record.integration, generation, now), version, hints, token, state: 'removing' }
}

/** When a worker can take an integration next; `null` if it has no work. */
export function nextAt({ dueAt, leaseUntil }: IntegrationRecord, now: number): number | null {
  if (dueAt === null || leaseUntil === null || leaseUntil <= now) return dueAt
  return Math.max(dueAt, leaseUntil)
}

/** Whether an integration has work, and no worker has it. A time that is too far ahead was written by a clock that was wrong. */
export function isDue({ dueAt, leaseUntil }: IntegrationRecord, now: number): boolean {
  const isPast = (time: number) => time <= now || isTooFarAhead(time, now)
  return dueAt !== null && isPast(dueAt) && (leaseUntil === null || isPast(leaseUntil))
}
