import type { Clock } from '@notewire/protocol'
import type { Claim, ReceiverStore } from '../stores/store.ts'

/** How long a claim lasts unless it is renewed: less than the service's first retry, so that a crash costs one retry. */
export const LEASE_MS = 20_000

const RENEW_EVERY_MS = 5_000

/**
 * Renews a claim until `done` is aborted. Never rejects, and never waits for a store that does not answer.
 *
 * @param askedAt  when the claim was asked for: the lease began no later
 * @param onLost  called once when the claim is another's, or could not be renewed for as long as it lasts
 */
export async function keepLease(
  { store, clock }: { readonly store: ReceiverStore; readonly clock: Clock },
  claim: Claim,
  askedAt: number,
  done: AbortSignal,
  onLost: () => void,
): Promise<void> {
  let endsAt = askedAt + LEASE_MS
  for (;;) {
    await sleepUntil(clock, Math.min(clock.now() + RENEW_EVERY_MS, endsAt), done)
    if (done.aborted) return
    const renewedAt = clock.now()
    const renewal = await Promise.race([renew(store, claim), sleepUntil(clock, endsAt, done)])
    if (done.aborted) return
    if (renewal === 'renewed') endsAt = renewedAt + LEASE_MS
    if (renewal === 'lost' || clock.now() >= endsAt) {
      onLost()
      return
    }
  }
}

async function renew(store: ReceiverStore, claim: Claim): Promise<'renewed' | 'lost' | 'unanswered'> {
  try {
    return await store.renew(claim, LEASE_MS)
  } catch {
    return 'unanswered'
  }
}

async function sleepUntil(clock: Clock, time: number, done: AbortSignal): Promise<'unanswered'> {
  await clock.sleep(time - clock.now(), done).catch(() => undefined)
  return 'unanswered'
}
