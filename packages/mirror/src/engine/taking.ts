import { monotonicNow } from '@notewire/protocol'
import { leaseFrom } from '../concurrency/lease.ts'
import { type IntegrationRecord, RANKS, type TakenIntegration } from '../interfaces/integration-store.ts'
import type { WorkSettings } from './work-settings.ts'

/**
 * The time between two attempts to take an integration from another worker, in milliseconds. It is short because workers take an integration
 * with a long listing again immediately.
 */
const RETRY_EVERY_MS = 50

/** How long a call waits for a worker of another process. */
const GIVE_UP_AFTER_MS = 30_000

interface Waiting {
  readonly signal?: AbortSignal | undefined
  /** Called once if another worker has the integration. */
  readonly onBusy?: (() => Promise<void>) | undefined
  /** The error if the worker of another process has the integration for too long. */
  readonly busy: (record: IntegrationRecord) => Error
}

/** The request with which this process takes integrations. */
export function takeRequest({ worker, policy }: Pick<WorkSettings, 'worker' | 'policy'>, now: number) {
  return { ...leaseFrom(now), worker, includesSingle: policy.isSingle }
}

/**
 * Takes one integration as soon as no other worker has it, even if it is not due or parked. A worker of this process hands it over at its next page.
 *
 * @returns `undefined` if it was removed and its content is erased
 */
export async function takeNow(
  integration: string,
  settings: WorkSettings,
  { signal, onBusy, busy }: Waiting,
): Promise<TakenIntegration | undefined> {
  const { store, integrations, clock, work } = settings
  return await work.next(integration, async (handedOver) => {
    const giveUpAt = monotonicNow(clock) + GIVE_UP_AFTER_MS
    for (let attempts = 0; ; attempts += 1) {
      const record = await integrations.get(integration)
      const isErased = record?.state === 'removing' && record.pausedUntil !== null
      const now = clock.now()
      // Repeated, because another worker may have parked the integration since the last attempt.
      if (record?.state === 'parked') await integrations.resume(integration, now)
      const request = { ...takeRequest(settings, now), maxRank: RANKS.scan, integration, isForced: true }
      const taken =
        record && !isErased && handedOver() === undefined ? await store.integrations.take(request) : undefined
      const got = handedOver() ?? taken
      if (got !== undefined) return { ...got, record: withoutPause(got.record) }
      signal?.throwIfAborted()
      if (record === undefined || isErased) return undefined
      if (attempts === 0) await onBusy?.()
      if (monotonicNow(clock) >= giveUpAt && !work.isRunning(integration)) throw busy(record)
      await clock.sleep(RETRY_EVERY_MS, signal)
    }
  })
}

/** A call ignores the pause after a failure. Whoever works next counts failures anew. */
function withoutPause({ listAt: _, ...record }: IntegrationRecord): IntegrationRecord {
  return record.state === 'active' ? { ...record, failures: 0, pausedUntil: null } : record
}
