import { type IntegrationRecord, MAX_PAUSE_MS, type NextWork, RANKS } from '../integrations/integration-store.ts'
import { dueTimes } from '../integrations/taking-order.ts'
import { ERASE_WITHIN_MS } from '../notes/note-state.ts'
import { isAhead } from './time.ts'

/** Whether a time was written by a clock that was ahead, or before a clock was set back. */
export function isTooFarAhead(time: number, now: number): boolean {
  return time > dueTimes(now).tooFarAhead.after
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

/** The row of `createMirror`, if the integration has none. It is due at once. */
export function madeSingle(known: IntegrationRecord | undefined, next: IntegrationRecord): IntegrationRecord {
  return known ?? { ...next, isSingle: true }
}

/**
 * Adds an integration, if there is none. One of `createMirror` keeps its copy. One that is being removed and waits for its consumers (`pausedUntil`) becomes another copy, with the same
 * consumers: the notes of the earlier copy are erased already.
 */
export function added(known: IntegrationRecord | undefined, next: IntegrationRecord): IntegrationRecord {
  if (known === undefined) return next
  if (known.isSingle) return withoutMark(hurried(known, next.dueAt ?? 0))
  if (known.state !== 'removing' || known.pausedUntil === null) return known
  return { ...next, version: known.version, hints: known.hints, token: known.token }
}

function withoutMark({ isSingle: _, ...added }: IntegrationRecord): IntegrationRecord {
  return added
}

/**
 * Ends the lease and schedules the next work. If a hint has arrived since the integration was taken, it is due now or after its pause, and
 * `next.dueAt` is ignored. What was asked for since stays asked for.
 *
 * @param taken  the record that was taken
 */
export function finished(
  record: IntegrationRecord,
  next: NextWork,
  { taken, now }: { readonly taken: IntegrationRecord; readonly now: number },
): IntegrationRecord {
  const { integration, generation, version, hints, token, worker, keyPrint, isSingle } = record
  const own = { integration, generation, version, hints, token, worker, keyPrint, isSingle }
  const asked = {
    pollAskedAt: record.pollAskedAt === taken.pollAskedAt ? next.pollAskedAt : record.pollAskedAt,
    fullListingAskedAt:
      record.fullListingAskedAt === taken.fullListingAskedAt ? next.fullListingAskedAt : record.fullListingAskedAt,
  }
  const after = withoutUndefined({ ...next, ...own, ...asked, leaseUntil: null })
  if (record.hints === taken.hints) return after
  return { ...after, dueAt: dueAfterHint(next, now), rank: RANKS.hint }
}

/** A store that keeps JSON returns no field that is `undefined`. */
function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value
}

/** A parked integration erases the note that the hint hid, but does not read it. */
function dueAfterHint({ state, pausedUntil }: NextWork, now: number): number {
  if (state !== 'parked') return Math.max(now, pausedUntil ?? 0)
  return Math.min(now + ERASE_WITHIN_MS, pausedUntil ?? Number.POSITIVE_INFINITY)
}

/** Makes an active integration due now and ends its pause. While a worker has it, it becomes due again when the worker finishes. */
export function woken(record: IntegrationRecord, now: number): IntegrationRecord {
  if (record.state !== 'active') return record
  const { listAt: _, ...known } = record
  const dueAt = Math.min(record.dueAt ?? now, now)
  return { ...known, hints: record.hints + 1, failures: 0, pausedUntil: null, dueAt }
}

/** Makes an active integration due now, or after its pause. While a worker has it, it becomes due again when the worker finishes. */
export function hurried(record: IntegrationRecord, now: number): IntegrationRecord {
  if (record.state !== 'active') return record
  const earliest = Math.max(now, record.pausedUntil ?? now)
  return { ...record, hints: record.hints + 1, dueAt: Math.min(record.dueAt ?? earliest, earliest) }
}

/** What is asked for: a poll, or a full listing. */
export type Asked = 'poll' | 'full-listing'

/**
 * Asks the next worker of an integration for a poll or a full listing. A worker that has begun one fulfils only what was asked for before, so
 * each request has another time. A parked integration keeps the request.
 */
export function asked(record: IntegrationRecord, what: readonly Asked[], now: number): IntegrationRecord {
  const after = (known = 0) => Math.max(now, known + 1)
  const requests = {
    ...(what.includes('poll') && { pollAskedAt: after(record.pollAskedAt) }),
    ...(what.includes('full-listing') && { fullListingAskedAt: after(record.fullListingAskedAt) }),
  }
  return hurried({ ...record, ...requests }, now)
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
export function isDue(record: IntegrationRecord, now: number): boolean {
  return record.dueAt !== null && isPast(record.dueAt, now) && isFree(record, now)
}

/** Whether no worker has an integration. */
export function isFree({ leaseUntil }: IntegrationRecord, now: number): boolean {
  return leaseUntil === null || isPast(leaseUntil, now)
}

function isPast(time: number, now: number): boolean {
  return time <= now || isTooFarAhead(time, now)
}
