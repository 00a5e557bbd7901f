import { type Clock, monotonicNow } from '@notewire/protocol'
import type { Claim, ReceiverStore } from '../interfaces/store.ts'
import type { Alarm } from './alarm.ts'

/**
 * How long a claim is valid without a renewal. Shorter than the delay of the service's first retry, so that this retry can claim the event
 * of a crashed process.
 */
export const LEASE_MS = 20_000

const RENEW_EVERY_MS = 5_000

/**
 * Renews a claim every 5 s until the claim is lost or the returned function is called. It schedules the next renewal without waiting for the
 * store's response.
 *
 * @param requestedAt  `monotonicNow` before the claim was requested: a lower bound for the start of the lease
 * @param onLost  called once if another worker has claimed the event, or if every renewal failed until the lease expired
 * @returns ends the renewals
 */
export function keepLease(
  { store, clock, alarm }: { readonly store: ReceiverStore<never>; readonly clock: Clock; readonly alarm: Alarm },
  claim: Claim,
  requestedAt: number,
  onLost: () => void,
): () => void {
  let expiresAt = requestedAt + LEASE_MS
  let hasEnded = false
  scheduleRenewal()
  return end

  function renew(): void {
    if (monotonicNow(clock) >= expiresAt) reportLoss()
    else {
      scheduleRenewal()
      void renewNow()
    }
  }

  async function renewNow(): Promise<void> {
    const requestedAt = monotonicNow(clock)
    try {
      const renewal = await store.renew(claim, LEASE_MS)
      if (renewal === 'lost') reportLoss()
      else expiresAt = requestedAt + LEASE_MS
    } catch {
      // The next renewal may succeed before the lease expires.
    }
  }

  function scheduleRenewal(): void {
    alarm.set(renew, Math.min(monotonicNow(clock) + RENEW_EVERY_MS, expiresAt))
  }

  function reportLoss(): void {
    if (hasEnded) return
    end()
    onLost()
  }

  function end(): void {
    hasEnded = true
    alarm.clear(renew)
  }
}
