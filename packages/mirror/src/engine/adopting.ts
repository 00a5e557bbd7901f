import { pauseAfterLoss } from '../concurrency/lease.ts'
import { IntegrationRemovedError, LeaseLostError } from '../errors.ts'
import { claimKey, engineOf } from './connection.ts'
import { recordOf } from './copy-of-one.ts'
import type { Connection, WorkSettings } from './work-settings.ts'

/**
 * Replaces the key that the notes of a copy were listed with. Ends the lease of the worker that lists with the old one.
 *
 * @throws KeySharedError when another integration uses the key; nothing is changed
 * @throws IntegrationRemovedError when the copy was removed
 * @throws MirrorBusyError when workers took the integration at every attempt
 */
export async function adoptKey(integration: string, generation: string, settings: WorkSettings): Promise<void> {
  const { signal } = new AbortController()
  const connection = await settings.connect(integration, { clock: settings.clock, signal })
  for (let losses = 0; !(await adoptOnce({ integration, generation, connection }, settings)); losses += 1) {
    await pauseAfterLoss(losses, settings.clock, signal)
  }
}

interface Adoption {
  readonly integration: string
  readonly generation: string
  readonly connection: Connection
}

/** @returns `false` if a worker has taken the integration meanwhile */
async function adoptOnce({ integration, generation, connection }: Adoption, settings: WorkSettings): Promise<boolean> {
  const { integrations } = settings
  if (!(await claimKey(await recordOf(integrations, integration), connection, settings))) return false
  const interrupted = await integrations.interrupt(integration, { generation })
  if (interrupted === undefined) throw new IntegrationRemovedError(integration)
  const fence = { generation, token: interrupted.token, lost: () => new LeaseLostError() }
  try {
    await engineOf(connection, integration, fence, settings).adoptKey()
    return true
  } catch (error) {
    if (error instanceof LeaseLostError) return false
    throw error
  }
}
