import { IntegrationRemovedError } from '../errors.ts'
import type { IntegrationRecord } from '../integrations/integration-store.ts'
import { newCopyId } from './adding.ts'
import type { Integrations } from './integrations.ts'
import type { WorkSettings } from './work-settings.ts'

/** @throws IntegrationRemovedError */
export async function recordOf(integrations: Integrations, integration: string): Promise<IntegrationRecord> {
  return unlessRemoved(integration, await integrations.get(integration))
}

function unlessRemoved(integration: string, record: IntegrationRecord | undefined): IntegrationRecord {
  if (record === undefined || record.state === 'removing') throw new IntegrationRemovedError(integration)
  return record
}

/** The integration of one mirror, and the copy that this process has seen. */
export interface CopyOfOne {
  /** Reads the row; that of `createMirror` is made if it is missing. @throws IntegrationRemovedError */
  read(): Promise<IntegrationRecord>
  /** The id of the copy, which is read once. @throws IntegrationRemovedError */
  generation(): Promise<string>
  /** Forgets the id of the copy, because the store contains another one. */
  forget(): void
}

/** @param open  creates the tables */
export function copyOfOne(
  integration: string,
  { integrations, policy, clock }: WorkSettings,
  open: () => Promise<unknown>,
): CopyOfOne {
  let known: string | undefined

  async function read(): Promise<IntegrationRecord> {
    await open()
    const found = await integrations.get(integration)
    const isMissing = policy.isSingle && found === undefined
    const now = clock.now()
    const record = isMissing ? await integrations.makeSingle(integration, newCopyId(now), now) : found
    const { generation } = unlessRemoved(integration, record)
    // The copy of `createMirror` is another one only if its database was restored.
    if (known !== undefined && known !== generation && !policy.isSingle) throw new IntegrationRemovedError(integration)
    known = generation
    return unlessRemoved(integration, record)
  }

  return {
    read,
    generation: async () => known ?? (await read()).generation,
    forget() {
      known = undefined
    },
  }
}
