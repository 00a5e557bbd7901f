import { refuseSurplusOptions } from '@notewire/protocol'
import { once } from '../concurrency/calls.ts'
import { createConsumers, type MirrorConsumers } from '../consuming/consumer.ts'
import { requireNoteId } from '../context/mirror-options.ts'
import { IntegrationRemovedError } from '../interfaces/errors.ts'
import type { IntegrationRecord } from '../interfaces/integration-store.ts'
import { callHook, type ProblemNotice } from '../interfaces/mirror-hooks.ts'
import type { MirrorStore, ReadableStore } from '../interfaces/store.ts'
import { acceptRemovals } from '../ledger/erasure.ts'
import { createReader, type MirrorReader } from '../reader/mirror-reader.ts'
import { connect, engineOf, hooksOf, ledgerOf } from './connection.ts'
import type { Integrations } from './integrations.ts'
import type { MirrorsSettings } from './mirrors-options.ts'

/**
 * The mirror of one of many integrations: to read it, to consume its changes, and to accept removals that its scans hold back.
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
  migrated: () => Promise<MirrorStore<Transaction>>,
): IntegrationMirror<Transaction> {
  const { store, integrations, changes, clock, hooks, log } = settings
  const copy = once(async () => {
    await migrated()
    return await recordOf(integrations, integration)
  })
  const removed = () => new IntegrationRemovedError(integration)

  async function openReads(): Promise<ReadableStore> {
    const { generation } = await copy()
    return checkedStore(store, async () => {
      if ((await recordOf(integrations, integration)).generation !== generation) throw removed()
    })
  }

  /** Whether the notes of a removed integration may still have content. */
  async function isErasing(): Promise<boolean> {
    const record = await integrations.get(integration)
    if (record === undefined) throw removed()
    return record.state === 'removing' && record.pausedUntil === null
  }

  async function openConsumers(): Promise<MirrorStore<Transaction>> {
    const opened = await migrated()
    await isErasing()
    return opened
  }

  return {
    ...createReader(openReads, integration, clock),
    ...createConsumers(openConsumers, {
      integration,
      clock,
      isErasing,
      onChange: (listener) => changes.listen(integration, listener),
      log,
      hooks: { onProblem: (problem: ProblemNotice) => callHook(hooks.onProblem, { ...problem, integration }) },
    }),
    async acceptRemovals(scanId, ...surplus) {
      refuseSurplusOptions('mirror.acceptRemovals', surplus)
      const { generation } = await copy()
      const ledger = ledgerOf(integration, { generation, lost: removed }, settings)
      const context = { store: await openReads(), integration, ledger, clock }
      return await acceptRemovals(scanId, context, hooksOf(integration, settings))
    },
    async acceptReads(noteId, ...surplus) {
      refuseSurplusOptions('mirror.acceptReads', surplus)
      requireNoteId('mirror.acceptReads', noteId)
      const { generation } = await copy()
      const connection = await connect(integration, settings)
      const isLive = await engineOf(connection, integration, { generation, lost: removed }, settings).acceptReads(
        noteId,
      )
      // Its content is fetched after a pause that the service has asked for.
      await integrations.hurry(integration, clock.now())
      return isLive
    },
  }
}

/** Runs `check`, which rejects if the copy was removed, after each read, so that data that was read after the removal is not returned. */
function checkedStore(store: ReadableStore, check: () => Promise<void>): ReadableStore {
  async function checked<Result>(read: Promise<Result>): Promise<Result> {
    const result = await read
    await check()
    return result
  }
  return {
    readProgress: (...values) => checked(store.readProgress(...values)),
    count: (...values) => checked(store.count(...values)),
    readFeed: (...values) => checked(store.readFeed(...values)),
    listStates: (...values) => checked(store.listStates(...values)),
    listNotes: (...values) => checked(store.listNotes(...values)),
  }
}

/** @throws IntegrationRemovedError */
export async function recordOf(integrations: Integrations, integration: string): Promise<IntegrationRecord> {
  const record = await integrations.get(integration)
  if (record === undefined || record.state === 'removing') throw new IntegrationRemovedError(integration)
  return record
}
