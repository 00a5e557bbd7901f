import type { Clock } from '@notewire/protocol'
import { once } from '../concurrency/once.ts'
import { createConsumers, type MirrorConsumers } from '../consuming/consumer.ts'
import { ConsumerLostError } from '../consuming/consumer-lease.ts'
import { acceptRemovals } from '../engine/acceptance.ts'
import { IntegrationRemovedError } from '../interfaces/errors.ts'
import type { IntegrationRecord } from '../interfaces/integration-store.ts'
import { callHook, type ProblemNotice } from '../interfaces/mirror-hooks.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { Ledger } from '../ledger/ledger.ts'
import { createReader, type MirrorReader } from '../reader/mirror-reader.ts'
import { connect, engineOf, hooksOf } from './connection.ts'
import type { LocalChanges } from './local-changes.ts'
import type { MirrorsSettings } from './mirrors-options.ts'
import { checkedStore, fencedStore, withMembers } from './store-wrappers.ts'

/**
 * The mirror of one of many integrations: to read it, to consume its changes, and to accept removals that its scans hold back and records that
 * contradict earlier ones.
 *
 * Consumers continue when the integration is removed: they get one removal for each note that they have applied. After the last removal,
 * `consume` resolves, and `consumeDue` rejects with `IntegrationRemovedError`.
 */
export interface IntegrationMirror<Transaction = never> extends MirrorReader, MirrorConsumers<Transaction> {
  /** See `Mirror.acceptRemovals`. */
  acceptRemovals(scanId: string): Promise<number>
  /** See `Mirror.acceptReads`. */
  acceptReads(noteId: string): Promise<boolean>
}

/** Opens an integration. All reads are of the copy that exists at the first read. */
export function openIntegration<Transaction>(
  integration: string,
  settings: MirrorsSettings,
  changes: LocalChanges,
  migrated: () => Promise<MirrorStore<Transaction>>,
): IntegrationMirror<Transaction> {
  const { store, clock, hooks } = settings
  const copy = once(async () => recordOf(await migrated(), integration))
  const removed = () => new IntegrationRemovedError(integration)

  async function open() {
    const { generation } = await copy()
    return checkedStore(fencedStore(store, { generation }, removed), async () => {
      if ((await recordOf(store, integration)).generation !== generation) throw removed()
    })
  }

  return {
    ...createReader(open, integration, clock),
    ...createConsumers(async () => consumedStore(await migrated(), integration, clock), {
      integration,
      clock,
      onChange: (listener) => changes.listen(integration, listener),
      hooks: { onProblem: (problem: ProblemNotice) => callHook(hooks.onProblem, { ...problem, integration }) },
    }),
    async acceptRemovals(scanId) {
      const store = await open()
      const ledger = new Ledger({ store, integration, clock })
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

/** The time between two checks of a consumer that waits until the content of a removed integration is erased, in milliseconds. */
const CHECK_AGAIN_AFTER_MS = 1_000

/** @throws IntegrationRemovedError */
export async function recordOf(store: MirrorStore, integration: string): Promise<IntegrationRecord> {
  const record = await store.integrations.get(integration)
  if (record === undefined || record.state === 'removing') throw new IntegrationRemovedError(integration)
  return record
}

/** Returns the store for the consumers of an integration. They can read it while it is being removed, but get no content then. */
async function consumedStore<Transaction>(
  store: MirrorStore<Transaction>,
  integration: string,
  clock: Clock,
): Promise<MirrorStore<Transaction>> {
  /** Whether the notes of a removed integration may still have content. */
  async function isErasing(): Promise<boolean> {
    const record = await store.integrations.get(integration)
    if (record === undefined) throw new IntegrationRemovedError(integration)
    return record.state === 'removing' && record.pausedUntil === null
  }

  await isErasing()
  return withMembers(store, {
    async readConsumer(...key) {
      const consumer = await store.readConsumer(...key)
      if (!(await isErasing())) return consumer
      return { ...consumer, hasChanges: false, nextDueAt: clock.now() + CHECK_AGAIN_AFTER_MS }
    },
    async listConsumable(...request) {
      const notes = await store.listConsumable(...request)
      // The content was read before the removal, and must not be passed on. The next round reads the removals.
      if (await isErasing()) throw new ConsumerLostError()
      return notes
    },
  })
}
