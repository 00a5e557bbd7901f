import { pauseAfterLoss } from '../concurrency/lease.ts'
import { IntegrationRemovedError, LeaseLostError } from '../errors.ts'
import { claimKey, engineOf } from './connection.ts'
import { recordOf } from './copy-of-one.ts'
import type { WorkSettings } from './work-settings.ts'

/**
 * Replaces the key that the notes of a copy were listed with. Ends the lease of the worker that lists with the old one.
 *
 * @throws KeySharedError when another integration uses the key; nothing is changed
 * @throws IntegrationRemovedError when the copy was removed
 */
export async function adoptKey(integration: string, generation: string, settings: WorkSettings): Promise<void> {
  const { integrations, clock } = settings
  const { signal } = new AbortController()
  const connection = await settings.connect(integration, { clock, signal })
  for (let losses = 0; ; losses += 1) {
    // A claim fails if a worker takes the integration meanwhile. It is then repeated with the new fencing token.
    while (!(await claimKey(await recordOf(integrations, integration), connection, settings)));
    const interrupted = await integrations.interrupt(integration, { generation })
    if (interrupted === undefined) throw new IntegrationRemovedError(integration)
    const fence = { generation, token: interrupted.token, lost: () => new LeaseLostError() }
    try {
      return await engineOf(connection, integration, fence, settings).adoptKey()
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error
      await pauseAfterLoss(losses, clock, signal)
    }
  }
}
