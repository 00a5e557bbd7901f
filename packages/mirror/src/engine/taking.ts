import { monotonicNow } from '@notewire/protocol'
import { leaseFrom } from '../concurrency/lease.ts'
import { type IntegrationRecord, RANKS, type TakenIntegration } from '../integrations/integration-store.ts'
import type { WorkSettings } from './work-settings.ts'

/**
 * The time between two attempts to take an integration from another worker, in milliseconds. It is short because workers take an integration
 * with a long listing again immediately.
 */
const RETRY_EVERY_MS = 50

/** How long a call waits for a worker of another process. */
const GIVE_UP_AFTER_MS = 30_000

interface Waiting {
  /** The integration, if the caller has read it. */
  readonly known?: IntegrationRecord | undefined
  readonly signal: AbortSignal
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
  { known, signal, onBusy, busy }: Waiting,
): Promise<TakenIntegration | undefined> {
  const { integrations, clock, work } = settings
  const giveUpAt = monotonicNow(clock) + GIVE_UP_AFTER_MS
  let isFirst = true
  const waitOnce = async (record: IntegrationRecord) => {
    if (isFirst) await onBusy?.()
    isFirst = false
    if (monotonicNow(clock) >= giveUpAt && !work.isRunning(integration)) throw busy(record)
    await work.nextChange(RETRY_EVERY_MS, clock, signal)
  }
  const release = ({ record }: TakenIntegration) => integrations.finish(record, record, clock.now())
  return await work.next(integration, release, async (handedOver) => {
    let record = known ?? (await integrations.get(integration))
    while (record !== undefined && !isErased(record)) {
      const taken = handedOver() ?? (await takeForced(record, settings)) ?? handedOver()
      if (taken !== undefined) return { ...taken, record: withoutPause(taken.record) }
      await waitOnce(record)
      record = await integrations.get(integration)
    }
    return undefined
  })
}

function isErased({ state, pausedUntil }: IntegrationRecord): boolean {
  return state === 'removing' && pausedUntil !== null
}

async function takeForced({ integration, state }: IntegrationRecord, settings: WorkSettings) {
  const { store, integrations, clock } = settings
  const now = clock.now()
  // Another worker may have parked the integration since the last attempt.
  if (state === 'parked') await integrations.resume(integration, now)
  const request = { ...takeRequest(settings, now), maxRank: RANKS.fullListing, integration, isForced: true }
  return await store.integrations.take(request)
}

/** A call ignores the pause after a failure, and failures are counted anew. */
function withoutPause({ listAt: _, ...record }: IntegrationRecord): IntegrationRecord {
  return record.state === 'active' ? { ...record, failures: 0, pausedUntil: null } : record
}
