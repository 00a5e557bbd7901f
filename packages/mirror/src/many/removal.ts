import type { IntegrationRecord, NextWork } from '../interfaces/integration-store.ts'
import { type NoteState, unknownNote } from '../interfaces/note-state.ts'
import { NO_PROGRESS } from '../interfaces/progress.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { Ledger } from '../ledger/ledger.ts'
import { ERASED_AT_ONCE } from '../ledger/overdue-erasure.ts'
import { fencedStore, LeaseLostError } from './lease.ts'
import type { MirrorsSettings } from './mirrors-options.ts'

/** How long the removals of an integration wait for its consumers, in milliseconds. */
const REMOVALS_WAIT_MS = 7 * 24 * 60 * 60_000

const LOOK_AFTER_MS = 1_000
const LONGEST_LOOK_MS = 60 * 60_000

/** What a part of a removal is done with. */
interface RemovalContext {
  readonly settings: MirrorsSettings
  readonly signal: AbortSignal
  /** Whether to stop after the commit under way. */
  readonly isEnough: () => boolean
}

/**
 * Does a part of the removal of an integration. Without consumers, its rows are erased. With consumers, the content of all notes is erased
 * first, and each note becomes a removal; the rows are erased when every consumer has applied the removals, or after seven days.
 *
 * @returns `undefined` if the integration is gone, or is no longer this worker's
 */
export async function removeSome(record: IntegrationRecord, context: RemovalContext): Promise<NextWork | undefined> {
  const { store, clock } = context.settings
  const { integration, pausedUntil } = record
  const now = clock.now()
  const consumers = await store.integrations.listConsumers(integration)
  if (consumers.length > 0 && pausedUntil === null) {
    const isErased = await eraseContent(record, context)
    return { ...record, dueAt: clock.now(), pausedUntil: isErased ? clock.now() + REMOVALS_WAIT_MS : null }
  }
  if (pausedUntil !== null && now < pausedUntil && (await isAnyBehind(store, integration, consumers))) {
    const waitedMs = now - (pausedUntil - REMOVALS_WAIT_MS)
    return { ...record, dueAt: now + Math.min(Math.max(LOOK_AFTER_MS, waitedMs / 4), LONGEST_LOOK_MS) }
  }
  for (;;) {
    const outcome = await store.integrations.erase(integration, record, ERASED_AT_ONCE)
    if (outcome !== 'more') return undefined
    if (isOver(context)) return { ...record, dueAt: clock.now() }
  }
}

/**
 * Erases what is kept of each note but its id: consumers see that it vanished. Each note that is written moves to the end of the changes, so
 * that those at the front are the ones to do.
 *
 * @returns whether all are erased
 */
async function eraseContent(record: IntegrationRecord, context: RemovalContext): Promise<boolean> {
  const { integration } = record
  const store = fencedStore(context.settings.store, record, () => new LeaseLostError())
  const ledger = new Ledger({ store, integration })
  for (;;) {
    const first = await store.listChanges(integration, 0, ERASED_AT_ONCE)
    const noteIds = first.filter(({ state }) => !isErased(state)).map(({ state }) => state.noteId)
    if (noteIds.length === 0) break
    await ledger.revise(noteIds, ({ noteId }) => ({
      state: { ...unknownNote(noteId), presence: 'gone' },
      content: 'erase',
      announce: 'vanished',
    }))
    if (isOver(context)) return false
  }
  // If the integration is added again, its next copy begins with nothing but the ids.
  await ledger.advance(() => NO_PROGRESS)
  return true
}

function isErased({ presence, evidence, heard }: NoteState): boolean {
  return presence === 'gone' && evidence === null && heard === null
}

async function isAnyBehind(store: MirrorStore, integration: string, consumers: readonly string[]): Promise<boolean> {
  for (const name of consumers) {
    const { lag, waiting } = await store.describeConsumer(integration, name)
    if (lag > 0 || waiting > 0) return true
  }
  return false
}

function isOver({ isEnough, signal }: RemovalContext): boolean {
  return isEnough() || signal.aborted
}
