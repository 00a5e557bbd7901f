import type { NotesClient } from '@notewire/client'
import type { Engine } from '../engine/engine.ts'
import { IntegrationBusyError, KeyChangedError } from '../interfaces/errors.ts'
import {
  type IntegrationRecord,
  type ParkedBecause,
  RANKS,
  type TakenIntegration,
} from '../interfaces/integration-store.ts'
import { holdsNotes } from '../listing/key-guard.ts'
import { type Registration, registerEndpoint } from './endpoint.ts'
import { LEASE_MS, LeaseLostError } from './lease.ts'
import type { MirrorsSettings } from './mirrors-options.ts'
import { SharedPauses } from './shared-pauses.ts'
import { type ActiveWork, doSlice } from './slice.ts'
import { withinLimit } from './time-limit.ts'

/** How long to wait before looking whether another worker has finished, in milliseconds: a worker takes a long listing again at once. */
const WAIT_MS = 50

/** How long other workers leave an integration to the process that adds it, in milliseconds. */
const HEAD_START_MS = 5_000

/** How long to wait for other workers, in milliseconds. */
const GIVE_UP_AFTER_MS = 30_000

/**
 * Adds an integration, after the last of an earlier copy is erased.
 *
 * @param isWorkedOnAtOnce  this process works on it next: other workers do not take it at once
 * @throws IntegrationBusyError when another worker is erasing the copy, and does not finish
 */
export async function addIntegration(
  integration: string,
  isWorkedOnAtOnce: boolean,
  settings: MirrorsSettings,
): Promise<IntegrationRecord> {
  const { store, clock } = settings
  const laterMs = isWorkedOnAtOnce ? HEAD_START_MS : 0
  for (;;) {
    const record = await store.integrations.put(integration, crypto.randomUUID(), clock.now() + laterMs)
    if (record.state !== 'removing') return record
    const taken = await takeNow(integration, settings)
    if (taken !== undefined) await doSlice(taken, unlimited(settings))
  }
}

/** What `add` does at once with an integration. */
interface FirstWork {
  readonly registration: Registration | undefined
  /** Why it was parked before `add`. */
  readonly parkedBecause: ParkedBecause | null
}

/**
 * Checks the key of an integration, also if it was parked, and registers its endpoint, while no other worker has it.
 *
 * @throws IntegrationBusyError; what the service, `connect` or `saveSecret` refuses
 */
export async function workAtOnce(integration: string, first: FirstWork, settings: MirrorsSettings): Promise<void> {
  const taken = await takeNow(integration, settings)
  const error = taken && (await doSlice(taken, unlimited(settings), doing(first)))
  if (error instanceof LeaseLostError) throw new IntegrationBusyError(integration)
  if (error !== undefined) throw error
}

/** Takes one integration as soon as no other worker has it, due or not; `undefined` if it was removed. */
async function takeNow(integration: string, { store, clock }: MirrorsSettings): Promise<TakenIntegration | undefined> {
  const { integrations } = store
  const giveUpAt = clock.now() + GIVE_UP_AFTER_MS
  for (;;) {
    const record = await integrations.get(integration)
    const isAddedByNow = record?.state === 'removing' && record.pausedUntil !== null
    if (record === undefined || isAddedByNow) return undefined
    // At each look: another worker may have parked it, or made it due later, since the last one.
    const now = clock.now()
    if (record.state === 'parked') await integrations.resume(integration, now)
    else await integrations.wake(integration, now)
    const taken = await integrations.take({ now, until: now + LEASE_MS, most: RANKS.scan, integration })
    if (taken !== undefined) return taken
    if (now >= giveUpAt) throw new IntegrationBusyError(integration)
    await clock.sleep(WAIT_MS)
  }
}

/** The notes are listed by the next slice. */
function doing({ registration, parkedBecause }: FirstWork): ActiveWork {
  return async ({ record, copy }, { client }, engine, { settings, signal }) => {
    const { clock, store } = settings
    await checkKey(engine, () => holdsNotes(store, record.integration, copy.progress))
    if (parkedBecause === 'key_refused') await requireAccess(client, signal)
    if (registration === undefined) return { ...record, dueAt: clock.now() }
    const { url } = registration
    const saveSecret = (secret: string) =>
      withinLimit('saveSecret', clock, signal, async () => await registration.saveSecret(secret))
    const now = clock.now()
    return {
      ...record,
      endpoint: await registerEndpoint(client, { url, saveSecret }, record.endpoint, now),
      dueAt: now,
    }
  }
}

/** A key with which no note was listed, such as a mistyped one, can be replaced by any other. */
async function checkKey(engine: Engine, holdsNotes: () => Promise<boolean>): Promise<void> {
  try {
    await engine.checkKey()
  } catch (error) {
    if (!(error instanceof KeyChangedError) || (await holdsNotes())) throw error
    await engine.adoptKey()
  }
}

/** @throws NotesClientError when the service still refuses the key */
async function requireAccess(client: NotesClient, signal: AbortSignal): Promise<void> {
  await client.notes.list({ limit: 1 }, { signal }).pages()[Symbol.asyncIterator]().next()
}

function unlimited(settings: MirrorsSettings) {
  return { settings, pauses: new SharedPauses(), signal: new AbortController().signal, isEnough: () => false }
}
