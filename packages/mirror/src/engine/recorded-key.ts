import { LeaseLostError } from '../errors.ts'
import { RANKS } from '../integrations/integration-store.ts'
import type { CopyState } from '../integrations/progress.ts'
import { engineOf, fenceOf } from './connection.ts'
import { takeRequest } from './taking.ts'
import type { Connection, WorkSettings } from './work-settings.ts'

/** The time between two attempts to take the integration, in milliseconds. */
const RETRY_EVERY_MS = 50

/**
 * Reads the copy of an integration for work without the lease. If it records no key, records that of the connection first, under the lease; or waits
 * until the worker with the lease has recorded one.
 *
 * @throws KeyChangedError if the copy has notes and records no key; the reason of the signal
 */
export async function copyWithKey(
  integration: string,
  connection: Connection,
  settings: WorkSettings,
  signal: AbortSignal,
): Promise<CopyState> {
  const { store, integrations, clock, work } = settings
  for (;;) {
    const copy = await store.readProgress(integration)
    if (copy.progress.key !== null) return copy
    const request = { ...takeRequest(settings, clock.now()), maxRank: RANKS.fullListing, integration, isForced: true }
    const taken = await store.integrations.take(request)
    if (taken === undefined) {
      await work.nextChange(RETRY_EVERY_MS, clock, signal)
      continue
    }
    const { record } = taken
    try {
      await engineOf(connection, integration, fenceOf(record), settings).checkKey()
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error
    } finally {
      await integrations.finish(record, record, clock.now())
    }
  }
}
