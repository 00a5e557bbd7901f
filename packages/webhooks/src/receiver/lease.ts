import { type Clock, monotonicNow } from '@notewire/protocol'
import type { Claim, ReceiverStore } from '../interfaces/store.ts'
import { setAlarm } from './alarm.ts'

/** How long a claim lasts unless it is renewed: less than the service's first retry, so that a crash costs one retry. */
export const LEASE_MS = 20_000

const RENEW_EVERY_MS = 5_000

/**
 * Renews a claim until it is told to end. Never waits for a store that does not answer.
 *
 * @param askedAt  when the claim was asked for, by `monotonicNow`: the lease began no later
 * @param onLost  called once when the claim is another's, or could not be renewed for as long as it lasts
 * @returns ends it
 */
export function keepLease(
  { store, clock }: { readonly store: ReceiverStore<never>; readonly clock: Clock },
  claim: Claim,
  askedAt: number,
  onLost: () => void,
): () => void {
  let endsAt = askedAt + LEASE_MS
  let ended = false
  let callOff = setAlarm(clock, untilNext(), () => void renew())
  return end

  async function renew(): Promise<void> {
    const now = monotonicNow(clock)
    if (now >= endsAt) {
      lose()
      return
    }
    callOff = setAlarm(clock, untilNext(), () => void renew())
    try {
      const renewal = await store.renew(claim, LEASE_MS)
      if (renewal === 'lost') lose()
      else endsAt = now + LEASE_MS
    } catch {
      // The store may answer next time, while the lease still lasts.
    }
  }

  function untilNext(): number {
    // A process that stood still may come here when the lease has run out.
    return Math.max(0, Math.min(RENEW_EVERY_MS, endsAt - monotonicNow(clock)))
  }

  function lose(): void {
    if (ended) return
    end()
    onLost()
  }

  function end(): void {
    ended = true
    callOff()
  }
}
