import { type Clock, monotonicNow } from '@notewire/protocol'
import type { Claim, ReceiverStore } from '../interfaces/store.ts'
import { setTimer } from './timers.ts'

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
  { store, clock }: { readonly store: ReceiverStore<never>; readonly clock: Clock },
  claim: Claim,
  requestedAt: number,
  onLost: () => void,
): () => void {
  let expiresAt = requestedAt + LEASE_MS
  let hasEnded = false
  let cancelRenewal = scheduleRenewal()
  return end

  async function renew(): Promise<void> {
    const now = monotonicNow(clock)
    if (now >= expiresAt) {
      reportLoss()
      return
    }
    cancelRenewal = scheduleRenewal()
    try {
      const renewal = await store.renew(claim, LEASE_MS)
      if (renewal === 'lost') reportLoss()
      else expiresAt = now + LEASE_MS
    } catch {
      // The next renewal may succeed before the lease expires.
    }
  }

  function scheduleRenewal(): () => void {
    // Not negative: a process may have been suspended until after the lease expired.
    const delayMs = Math.max(0, Math.min(RENEW_EVERY_MS, expiresAt - monotonicNow(clock)))
    return setTimer(clock, delayMs, () => void renew())
  }

  function reportLoss(): void {
    if (hasEnded) return
    end()
    onLost()
  }

  function end(): void {
    hasEnded = true
    cancelRenewal()
  }
}
