import { refuseNoSignal, refuseSurplusOptions, refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import { createReceiver } from '@notewire/webhooks'
import { createConsumers } from '../consuming/consumer.ts'
import { IntegrationRemovedError } from '../errors.ts'
import { acceptRemovals } from '../ledger/erasure.ts'
import { RECEIVER_OPTIONS, requireNoteId, requireSignal, requireWord } from '../options.ts'
import { createReader } from '../reader/mirror-reader.ts'
import { UnsyncedCopy } from '../reporting/unsynced-copy.ts'
import type { MirrorStore, ReadableStore } from '../stores/mirror-store.ts'
import { adoptKey } from './adopting.ts'
import { CallsOfOne } from './calls-of-one.ts'
import { engineOf, hooksOf, ledgerOf } from './connection.ts'
import { copyOfOne, recordOf } from './copy-of-one.ts'
import type { Mirror } from './mirror-type.ts'
import { receiveEvent } from './receiving.ts'
import { copyWithKey } from './recorded-key.ts'
import type { WorkSettings } from './work-settings.ts'

/**
 * Opens the mirror of one integration, wherever it comes from. Of an integration of `createMirrors`, all reads are of the copy that exists at the first
 * read.
 *
 * @param migrated  creates the tables, and returns the store
 */
export function openIntegration<Transaction>(
  integration: string,
  settings: WorkSettings,
  migrated: () => Promise<MirrorStore<Transaction>>,
): Mirror<Transaction> {
  const { store, integrations, changes, hints, clock, log, policy, hooks } = settings
  const copy = copyOfOne(integration, settings, migrated)
  const calls = new CallsOfOne(integration, settings, copy)
  const unsynced = new UnsyncedCopy({ store, integrations, integration, log })
  const removed = () => new IntegrationRemovedError(integration)
  const never = new AbortController().signal

  async function openReads(): Promise<ReadableStore> {
    // The copy of `createMirror` is not removed.
    if (policy.isSingle) return await migrated()
    const generation = await copy.generation()
    return checkedStore(store, async () => {
      if ((await recordOf(integrations, integration)).generation !== generation) throw removed()
    })
  }

  /** Whether the notes of a removed integration may still have content. */
  async function isErasing(): Promise<boolean> {
    if (policy.isSingle) return false
    const record = await integrations.get(integration)
    if (record === undefined) throw removed()
    return record.state === 'removing' && record.pausedUntil === null
  }

  async function openConsumers(): Promise<MirrorStore<Transaction>> {
    const opened = await migrated()
    await isErasing()
    return opened
  }

  async function receive(event: WebhookEvent): Promise<void> {
    let isAgain = false
    await receiveEvent(event, integration, settings, async () => {
      if (isAgain) copy.forget()
      isAgain = true
      return await copy.generation().catch(undefinedIfRemoved)
    })
    await unsynced.afterEvent()
  }

  /** A fence for writes that need the copy, and no lease. */
  async function fence() {
    return { generation: await copy.generation(), lost: removed }
  }

  const reader = createReader(openReads, integration, clock)
  return {
    ...reader,
    ...createConsumers(openConsumers, {
      integration,
      clock,
      isErasing,
      onChange: (listener) => changes.listen(integration, listener),
      longestIdleMs: policy.consumersIdleMs,
      log,
      hooks,
    }),
    async status(...surplus) {
      refuseSurplusOptions('mirror.status', surplus)
      const status = await reader.status()
      // A full disk may still be read.
      return { ...status, problem: calls.unstored ?? status.problem }
    },
    async sync(syncOptions = {}) {
      refuseUnknownOptions('mirror.sync', syncOptions, { signal: true, fullListing: true })
      refuseNoSignal(syncOptions.signal)
      requireWord('fullListing', syncOptions.fullListing, ['when-due', 'now', 'never'])
      unsynced.syncsHere()
      return await calls.sync(syncOptions.fullListing ?? 'when-due', syncOptions.signal ?? never)
    },
    async settle(settleOptions = {}) {
      refuseUnknownOptions('mirror.settle', settleOptions, { signal: true })
      refuseNoSignal(settleOptions.signal)
      unsynced.syncsHere()
      return await calls.settle(settleOptions.signal ?? never)
    },
    async work(workOptions = {}) {
      refuseUnknownOptions('mirror.work', workOptions, { signal: true })
      refuseNoSignal(workOptions.signal)
      unsynced.syncsHere()
      return await calls.work(workOptions.signal ?? never)
    },
    async run(runOptions) {
      refuseUnknownOptions('mirror.run', runOptions, { signal: true })
      const signal = requireSignal('mirror.run', runOptions.signal)
      unsynced.syncsHere()
      await calls.run(signal)
    },
    receiver(receiverOptions) {
      refuseUnknownOptions('mirror.receiver', receiverOptions, { secret: true, path: true, ...RECEIVER_OPTIONS })
      return createReceiver({ clock, ...receiverOptions, integration, sink: receive })
    },
    async acceptRemovals(fullListingId, ...surplus) {
      refuseSurplusOptions('mirror.acceptRemovals', surplus)
      const ledger = ledgerOf(integration, await fence(), settings)
      const context = { store: await openReads(), integration, ledger, clock }
      return await acceptRemovals(fullListingId, context, hooksOf(integration, settings))
    },
    async acceptReads(noteId, ...surplus) {
      refuseSurplusOptions('mirror.acceptReads', surplus)
      requireNoteId('mirror.acceptReads', noteId)
      const ofCopy = await fence()
      const connection = await settings.connect(integration, { clock, signal: never })
      await copyWithKey({ integration, generation: ofCopy.generation, connection, signal: never }, settings)
      const isLive = await engineOf(connection, integration, ofCopy, settings).acceptReads(noteId)
      // Its content is fetched after a pause that the service has asked for.
      await integrations.hurry(integration, clock.now())
      hints.notify(integration)
      return isLive
    },
    async adoptKey(...surplus) {
      refuseSurplusOptions('mirror.adoptKey', surplus)
      await adoptKey(integration, await copy.generation(), settings)
      await integrations.hurry(integration, clock.now())
    },
  }
}

function undefinedIfRemoved(error: unknown): undefined {
  if (!(error instanceof IntegrationRemovedError)) throw error
}

/** Runs `check`, which rejects if the copy was removed, after each read, so that data that was read after the removal is not returned. */
function checkedStore(store: ReadableStore, check: () => Promise<void>): ReadableStore {
  async function checked<Result>(read: Promise<Result>): Promise<Result> {
    const result = await read
    await check()
    return result
  }
  return {
    integrations: store.integrations,
    readProgress: (...values) => checked(store.readProgress(...values)),
    count: (...values) => checked(store.count(...values)),
    readFeed: (...values) => checked(store.readFeed(...values)),
    listStates: (...values) => checked(store.listStates(...values)),
    listNotes: (...values) => checked(store.listNotes(...values)),
  }
}
