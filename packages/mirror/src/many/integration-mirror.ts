import { once } from '../concurrency/once.ts'
import { acceptRemovals } from '../engine/acceptance.ts'
import { IntegrationRemovedError } from '../interfaces/errors.ts'
import type { IntegrationRecord } from '../interfaces/integration-store.ts'
import { Ledger } from '../ledger/ledger.ts'
import { createReader, type MirrorReader } from '../reader/mirror-reader.ts'
import { connect, engineOf, hooksOf } from './connection.ts'
import { checkedStore, fencedStore } from './fenced-store.ts'
import type { MirrorsSettings } from './mirrors-options.ts'

/** The mirror of one of many integrations: to read it, and to accept what its scans and reads hold back. */
export interface IntegrationMirror extends MirrorReader {
  /** As `acceptRemovals` of `createMirror`. */
  acceptRemovals(scanId: string): Promise<number>
  /** As `acceptReads` of `createMirror`. */
  acceptReads(noteId: string): Promise<boolean>
}

/**
 * Opens the copy that an integration has when the mirror is first used.
 *
 * @param recordOf  rejects if there is no such integration
 */
export function openIntegration(
  integration: string,
  settings: MirrorsSettings,
  recordOf: (integration: string) => Promise<IntegrationRecord>,
): IntegrationMirror {
  const { store, clock, hooks } = settings
  const copy = once(() => recordOf(integration))
  const removed = () => new IntegrationRemovedError(integration)

  async function open() {
    const { generation } = await copy()
    return checkedStore(fencedStore(store, { generation }, removed), async () => {
      if ((await recordOf(integration)).generation !== generation) throw removed()
    })
  }

  return {
    ...createReader(open, integration, clock),
    async acceptRemovals(scanId) {
      const store = await open()
      const ledger = new Ledger({ store, integration })
      return await acceptRemovals(scanId, { store, integration, ledger, clock, hooks: hooksOf(integration, hooks) })
    },
    async acceptReads(noteId) {
      const connection = await connect(integration, settings)
      const isLive = await engineOf(connection, integration, await open(), settings).acceptReads(noteId)
      await store.integrations.wake(integration, clock.now())
      return isLive
    },
  }
}
