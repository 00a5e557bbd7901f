import { KeySharedError } from '../interfaces/errors.ts'
import type { IntegrationRecord } from '../interfaces/integration-store.ts'
import type { Connection } from './connection.ts'
import type { MirrorsSettings } from './mirrors-options.ts'

/**
 * Records which key an integration uses, so that no other integration can use it.
 *
 * @returns `false` if the fence of the record is lost, and nothing was written
 * @throws KeySharedError
 */
export async function claimKey(
  record: IntegrationRecord,
  { keyPrint }: Connection,
  { store }: MirrorsSettings,
): Promise<boolean> {
  if (keyPrint === record.keyPrint) return true
  const outcome = await store.integrations.claimKey(record.integration, record, keyPrint)
  if (outcome === 'shared') throw new KeySharedError(record.integration)
  return outcome === 'claimed'
}
