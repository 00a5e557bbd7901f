import type { Clock } from '@notewire/protocol'
import type { Claim, ReceiverStore } from '../stores/store.ts'

/** How long a claim lasts unless it is renewed: less than the service's first retry, so that a crash costs one retry. */
export const LEASE_MS = 20_000

const RENEW_EVERY_MS = 5_000

/**
 * Renews a claim until `done` is aborted.
 *
 * @param onLost  called once when the claim is another's, or could not be renewed for as long as it lasts
 */
export async function keepLease(
  { store, clock }: { readonly store: ReceiverStore; readonly clock: Clock },
  claim: Claim,
  done: AbortSignal,
  onLost: () => void,
): Promise<void> {
  let renewedAt = clock.now()
  for (;;) {
    const finished = await clock.sleep(RENEW_EVERY_MS, done).then(
      () => done.aborted,
      () => true,
    )
    if (finished) return
    const renewal = await store.renew(claim, LEASE_MS).catch(() => 'unanswered' as const)
    if (renewal === 'renewed') renewedAt = clock.now()
    if (renewal === 'lost' || clock.now() - renewedAt >= LEASE_MS) {
      onLost()
      return
    }
  }
}
