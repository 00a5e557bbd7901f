import { pauseAfterLoss } from '../concurrency/lease.ts'
import { IntegrationRemovedError, LeaseLostError } from '../errors.ts'
import { RANKS } from '../integrations/integration-store.ts'
import type { CopyState } from '../integrations/progress.ts'
import { awaitsKey } from '../listing/key-guard.ts'
import { engineOf, fenceOf } from './connection.ts'
import { recordOf } from './copy-of-one.ts'
import { takeRequest } from './taking.ts'
import type { Connection, WorkSettings } from './work-settings.ts'

/** The time between two attempts to take the integration, in milliseconds. */
const RETRY_EVERY_MS = 50

interface CopyRequest {
  readonly integration: string
  readonly generation: string
  readonly connection: Connection
  readonly signal: AbortSignal
}

/**
 * Reads a copy for work without the lease. If nothing was listed, records the key of the connection first, under the lease; or waits until the worker
 * with the lease has listed with it, or recorded it.
 *
 * @throws KeyChangedError if the copy has notes and records no key; IntegrationRemovedError if the copy is removed; MirrorBusyError if other
 * workers took the lease at every attempt; the reason of the signal
 */
export async function copyWithKey(request: CopyRequest, settings: WorkSettings): Promise<CopyState> {
  const { store, clock, work } = settings
  const { integration, generation, connection, signal } = request
  for (let losses = 0; ; ) {
    const copy = await store.readProgress(integration)
    if (!(await awaitsKey({ store, integration, client: connection.client }, generation, copy))) return copy
    const outcome = await recordKey(request, settings)
    // Another worker may replace it at once, and the work then rejects.
    if (outcome === 'recorded') return await store.readProgress(integration)
    if (outcome === 'busy') await work.nextChange(RETRY_EVERY_MS, clock, signal)
    if (outcome === 'lost') await pauseAfterLoss(losses++, clock, signal)
  }
}

/** @returns `busy` if another worker has the lease, `lost` if one took it meanwhile */
async function recordKey(
  { integration, generation, connection }: CopyRequest,
  settings: WorkSettings,
): Promise<'recorded' | 'busy' | 'lost'> {
  const { store, integrations, clock } = settings
  const known = await recordOf(integrations, integration)
  if (known.generation !== generation) throw new IntegrationRemovedError(integration)
  const request = { ...takeRequest(settings, clock.now()), maxRank: RANKS.fullListing, integration, isForced: true }
  const taken = await store.integrations.take(request)
  if (taken === undefined) return 'busy'
  const { record } = taken
  try {
    // Fenced by the copy of the caller: another one may have taken its place since it was read.
    await engineOf(connection, integration, { ...fenceOf(record), generation }, settings).recordKey()
    return 'recorded'
  } catch (error) {
    if (!(error instanceof LeaseLostError)) throw error
    return 'lost'
  } finally {
    await integrations.finish(record, record, clock.now())
  }
}
