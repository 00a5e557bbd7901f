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
import { checkedStore, fencedStore } from './lease.ts'
import type { LocalChanges } from './local-changes.ts'
import type { MirrorsSettings } from './mirrors-options.ts'

/**
 * The mirror of one of many integrations: to read it, to consume its changes, and to accept what its scans and reads hold back.
 *
 * Consumers continue when the integration is removed: they get one removal for each note that they have. After the last, `consume` resolves,
 * and `consumeDue` rejects with `IntegrationRemovedError`.
 */
export interface IntegrationMirror<Transaction = never> extends MirrorReader, MirrorConsumers<Transaction> {
  /** As `acceptRemovals` of `createMirror`. */
  acceptRemovals(scanId: string): Promise<number>
  /** As `acceptReads` of `createMirror`. */
  acceptReads(noteId: string): Promise<boolean>
}

/** Opens the copy that an integration has when the mirror is first used. */
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

/** How long a consumer waits for the content of a removed integration to be erased, in milliseconds. */
const LOOK_AGAIN_AFTER_MS = 1_000

/** @throws IntegrationRemovedError */
export async function recordOf(store: MirrorStore, integration: string): Promise<IntegrationRecord> {
  const record = await store.integrations.get(integration)
  if (record === undefined || record.state === 'removing') throw new IntegrationRemovedError(integration)
  return record
}

/** The store as the consumers of an integration see it: also while it is being removed, but then without content. */
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

  const consumed: Partial<MirrorStore<Transaction>> = {
    async readConsumer(...key) {
      const consumer = await store.readConsumer(...key)
      if (!(await isErasing())) return consumer
      return { ...consumer, hasChanges: false, nextDueAt: clock.now() + LOOK_AGAIN_AFTER_MS }
    },
    async listConsumable(...request) {
      const notes = await store.listConsumable(...request)
      // What was read before the removal is not passed on. The next turn reads the removals.
      if (await isErasing()) throw new ConsumerLostError()
      return notes
    },
  }
  await isErasing()
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(consumed, name) ?? Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
