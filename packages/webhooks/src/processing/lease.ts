import { type Clock, monotonicNow } from '@notewire/protocol'
import type { ReceiverStore } from '../interfaces/store.ts'
import type { Alarm } from './alarm.ts'
import { LEASE_MS } from './claim-request.ts'
import type { ClaimedEvent } from './claimed-event.ts'

const RENEW_EVERY_MS = 5_000

/**
 * Renews the claim of an event every 5 s, until the claim is lost or `endLease` is called. It schedules the next renewal without waiting for
 * the store's response. If another worker has claimed the event, or if every renewal failed until the lease expired, the claim is lost, and
 * the signal of the handler is aborted.
 */
export function keepLease(
  { store, clock, alarm }: { readonly store: ReceiverStore<never>; readonly clock: Clock; readonly alarm: Alarm },
  claimed: ClaimedEvent<never>,
): void {
  const { claim } = claimed
  let expiresAt = claimed.claimedAt + LEASE_MS
  let hasEnded = false
  claimed.endLease = end
  scheduleRenewal()

  function renew(): void {
    if (monotonicNow(clock) >= expiresAt) lose()
    else {
      scheduleRenewal()
      void renewNow()
    }
  }

  async function renewNow(): Promise<void> {
    const requestedAt = monotonicNow(clock)
    try {
      if ((await store.renew(claim, LEASE_MS)) === 'lost') lose()
      else expiresAt = requestedAt + LEASE_MS
    } catch {
      // The next renewal may succeed before the lease expires.
    }
  }

  function scheduleRenewal(): void {
    alarm.set(renew, Math.min(monotonicNow(clock) + RENEW_EVERY_MS, expiresAt))
  }

  function lose(): void {
    if (hasEnded) return
    end()
    claimed.isLost = true
    claimed.received.abort.abort('the claim was lost: another worker holds it, or its lease expired')
  }

  function end(): void {
    hasEnded = true
    alarm.clear(renew)
  }
}
