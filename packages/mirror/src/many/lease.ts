import type { IntegrationRecord } from '../interfaces/integration-store.ts'
import { LeaseLostError } from './fenced-store.ts'
import type { MirrorsSettings } from './mirrors-options.ts'

/** How long a worker that died keeps an integration, in milliseconds. */
export const LEASE_MS = 60_000

const RENEW_EVERY_MS = LEASE_MS / 3

/**
 * Does work on an integration that was taken, and renews the lease meanwhile.
 *
 * @param work  its signal fires with a `LeaseLostError` when the lease is lost
 */
export async function holding<Result>(
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
      // If the store fails, the lease runs on: its end is what counts.
      const isKept = await store.integrations
        .renew(integration, { generation, token }, clock.now() + LEASE_MS)
        .catch(() => true)
      if (!isKept) lost.abort(new LeaseLostError())
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
