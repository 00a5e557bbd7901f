import type { ConsumerRecord } from '../consumers/consumer-store.ts'
import { ERASE_BATCH_SIZE, type IntegrationRecord, type NextWork } from '../integrations/integration-store.ts'
import { NO_PROGRESS } from '../integrations/progress.ts'
import { eachNote, progressAlone } from '../ledger/ledger.ts'
import { erasedNote, noteIdsOf } from '../notes/note-state.ts'
import { fenceOf, ledgerOf } from './connection.ts'
import type { WorkSettings } from './work-settings.ts'

/** How long the removals of an integration are kept for its consumers, in milliseconds. */
const REMOVAL_RETENTION_MS = 7 * 24 * 60 * 60_000

const MIN_CHECK_MS = 1_000
const MAX_CHECK_MS = 60 * 60_000

interface RemovalContext {
  readonly settings: WorkSettings
  readonly signal: AbortSignal
  readonly shouldYield: () => boolean
}

/**
 * Does a part of the removal of an integration. Without consumers, its rows are deleted. With consumers, the content of all notes is erased
 * first, and each note becomes a removal; the rows are deleted when every consumer has applied the removals, or after seven days.
 *
 * @returns `undefined` if the integration no longer exists, or the lease is lost
 */
export async function removePart(record: IntegrationRecord, context: RemovalContext): Promise<NextWork | undefined> {
  const { store, integrations, clock } = context.settings
  const { integration, pausedUntil } = record
  const now = clock.now()
  const consumers = await store.listConsumers(integration, {})
  if (consumers.length > 0) {
    // Repeated while the removals wait for the consumers: version 0.1.0 could leave content.
    if (!(await eraseNotes(record, context))) return { ...record, dueAt: clock.now(), pausedUntil: null }
    if (pausedUntil === null) {
      await forgetListings(record, context)
      return { ...record, dueAt: clock.now(), pausedUntil: clock.now() + REMOVAL_RETENTION_MS }
    }
  }
  if (pausedUntil !== null && now < pausedUntil && consumers.some(isLagging)) {
    // A clock that was ahead may have written a later time.
    const keptUntil = Math.min(pausedUntil, now + REMOVAL_RETENTION_MS)
    const waitedMs = now - (keptUntil - REMOVAL_RETENTION_MS)
    return {
      ...record,
      pausedUntil: keptUntil,
      dueAt: now + Math.min(Math.max(MIN_CHECK_MS, waitedMs / 4), MAX_CHECK_MS),
    }
  }
  for (;;) {
    if ((await integrations.erase(record)) !== 'more') return undefined
    if (mustStop(context)) return { ...record, dueAt: clock.now() }
  }
}

/**
 * Erases everything of each note except its id, and announces that it vanished. Notes that an earlier removal of this integration has erased
 * are skipped, wherever they are.
 *
 * @returns whether all notes are erased
 */
async function eraseNotes(record: IntegrationRecord, context: RemovalContext): Promise<boolean> {
  const { integration } = record
  const { store } = context.settings
  const ledger = ledgerOf(integration, fenceOf(record), context.settings)
  for (let after = ''; ; ) {
    const query = { notErasedAfter: after, limit: ERASE_BATCH_SIZE }
    const noteIds = noteIdsOf(await store.listStates(integration, query))
    const last = noteIds.at(-1)
    if (last === undefined) return true
    await ledger.commit(
      eachNote(noteIds, ({ noteId }) => ({ state: erasedNote(noteId), content: 'erase', announce: 'vanished' })),
    )
    after = last
    if (mustStop(context)) return false
  }
}

/** If the integration is added again, its next copy starts with the ids only. */
async function forgetListings(record: IntegrationRecord, { settings }: RemovalContext): Promise<void> {
  const ledger = ledgerOf(record.integration, fenceOf(record), settings)
  await ledger.commitKnown(progressAlone(NO_PROGRESS))
}

function isLagging({ hasChanges, nextDueAt }: ConsumerRecord): boolean {
  return hasChanges || nextDueAt !== null
}

function mustStop({ shouldYield, signal }: RemovalContext): boolean {
  return shouldYield() || signal.aborted
}
