import { IntegrationRemovedError } from '../interfaces/errors.ts'
import type { IntegrationRecord } from '../interfaces/integration-store.ts'
import { newCopyId } from './adding.ts'
import type { Integrations } from './integrations.ts'
import type { WorkSettings } from './work-settings.ts'

/** @throws IntegrationRemovedError */
export async function recordOf(integrations: Integrations, integration: string): Promise<IntegrationRecord> {
  const record = await integrations.get(integration)
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
  let known: Promise<string> | undefined

  async function read(): Promise<IntegrationRecord> {
    await open()
    if (policy.isSingle && (await integrations.get(integration)) === undefined) {
      await integrations.makeSingle(integration, newCopyId(clock.now()), clock.now())
    }
    return await recordOf(integrations, integration)
  }

  return {
    read,
    generation() {
      known ??= read().then(
        ({ generation }) => generation,
        (error) => {
          known = undefined
          throw error
        },
      )
      return known
    },
    forget() {
      known = undefined
    },
  }
}
