import { NotesClientError } from '@notewire/client'
import { KeyChangedError, KeySharedError } from '../errors.ts'
import { type IntegrationRecord, MAX_PAUSE_MS, type ParkedBecause, RANKS } from '../integrations/integration-store.ts'
import { isPaused } from '../rules/schedule-rule.ts'
import { jittered } from './timing.ts'

/** The time between the refusal of a key and its first probe, in milliseconds. */
const FIRST_PROBE_MS = 60 * 60_000

/** The time between later probes, in milliseconds. A longer time would count as written by a wrong clock. */
const NEXT_PROBE_MS = MAX_PAUSE_MS

/**
 * Parks an integration, or records that the probe of a parked one has failed. A refused key is probed after an hour, then daily: `failures`
 * counts the refused probes, and `pausedUntil` is the time of the next probe. The other reasons are not probed, because they need the user.
 */
export function park(record: IntegrationRecord, parkedBecause: ParkedBecause, now: number): IntegrationRecord {
  const parked = { ...record, state: 'parked', parkedBecause, rank: RANKS.poll } as const
  if (parkedBecause !== 'key_refused') return { ...parked, failures: 0, pausedUntil: null }
  const failures = record.parkedBecause === 'key_refused' ? record.failures + 1 : 0
  return { ...parked, failures, ...pauseFrom(now, probeAfter(record, failures)) }
}

/**
 * Repeats a probe later that failed for another reason than a refused key.
 *
 * @param requestedMs  the pause that the service requests, in milliseconds
 */
export function postponeProbe(record: IntegrationRecord, requestedMs: number, now: number): IntegrationRecord {
  return { ...record, rank: RANKS.poll, ...pauseFrom(now, Math.max(probeAfter(record, 0), requestedMs)) }
}

/** Makes the fields of a pause that begins now. */
export function pauseFrom(now: number, pauseMs: number): { readonly pausedUntil: number; readonly pauseMs: number } {
  return { pausedUntil: now + pauseMs, pauseMs }
}

/** Whether the key of a parked integration is to be tried again. */
export function isProbeDue(record: IntegrationRecord, now: number): boolean {
  return record.parkedBecause === 'key_refused' && !isPaused(record, now)
}

function probeAfter({ integration }: IntegrationRecord, refusedProbes: number): number {
  return jittered(refusedProbes === 0 ? FIRST_PROBE_MS : NEXT_PROBE_MS, integration)
}

/** Why an integration is parked after an error; `undefined` if it is retried soon. */
export function reasonToPark(error: unknown): ParkedBecause | undefined {
  if (error instanceof KeySharedError) return 'key_shared'
  if (error instanceof KeyChangedError) return 'key_changed'
  const isRefused = error instanceof NotesClientError && (error.code === 'unauthorized' || error.code === 'forbidden')
  return isRefused ? 'key_refused' : undefined
}
