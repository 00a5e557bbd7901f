import type { IntegrationRecord } from '../interfaces/integration-store.ts'
import type { MirrorsSettings } from './mirrors-options.ts'

/** The lease of a taken integration, in milliseconds. When it has expired, another worker may take the integration. */
const LEASE_MS = 60_000

/** The lease of an integration that is taken or renewed now. */
export function leaseFrom(now: number): { readonly now: number; readonly until: number } {
  return { now, until: now + LEASE_MS }
}

const RENEW_EVERY_MS = LEASE_MS / 3

/**
 * Works on a taken integration, and renews its lease meanwhile.
 *
 * @param work  its signal fires with a `LeaseLostError` when the lease is lost
 */
export async function withLease<Result>(
  { integration, generation, token }: IntegrationRecord,
  { store, clock }: MirrorsSettings,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  const over = new AbortController()

  async function renew(): Promise<void> {
    for (;;) {
      await clock.sleep(RENEW_EVERY_MS, over.signal)
      // An error of the store does not end the lease before its time.
      const isRenewed = await store.integrations
        .renew(integration, { generation, token }, leaseFrom(clock.now()))
        .catch(() => true)
      if (!isRenewed) return lost.abort(new LeaseLostError())
    }
  }

  const renewing = renew().catch(() => undefined)
  try {
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    over.abort()
    await renewing
  }
}

/** The worker's lease was lost: another worker has taken the integration, or it was removed. The store rejects the worker's commits. */
export class LeaseLostError extends Error {
  constructor() {
    super('another worker has taken the integration, or it was removed')
  }
}
