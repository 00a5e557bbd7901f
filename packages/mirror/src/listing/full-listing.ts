import type { SyncContext } from '../fetching/sync.ts'
import { type CompletionCertificate, certify, type FullListingProgress } from '../integrations/progress.ts'
import { noteIdsOf } from '../notes/note-state.ts'
import { markMissing } from '../rules/absence-rule.ts'
import { requireFullListing } from '../rules/listing-rule.ts'
import { mustRestart } from '../rules/listing-track.ts'
import { cursorSuspicion } from '../service/failures.ts'
import { listPages, PAGE_SIZE } from '../service/full-listing.ts'
import type { ListedPage, Lister } from './lister.ts'
import { applyTracked, hasFailedTooOften, recordFailure, requireNoWait, requireRestart } from './tracking.ts'

/** A full listing holds removals back if it misses all notes, or more notes than both limits: a number, and a share of the live notes. */
const MAX_MISSING = 50
const MAX_MISSING_SHARE = 0.25

/**
 * Lists all notes, and has each missing note read. Only a full listing finds every deletion and every lost access that no event announced.
 * Continues an interrupted full listing. Yields after each page.
 */
export async function* fullListing(lister: Lister, context: SyncContext): AsyncGenerator<ListedPage> {
  if (lister.progress.fullListing === null) await beginFullListing(lister, context)
  if (requireFullListing(lister.progress).phase === 'listing') yield* listAll(lister, context)
  const certificate = certify(requireFullListing(lister.progress))
  if (certificate === undefined) return
  if (requireFullListing(lister.progress).phase === 'listed') await countMissing(lister, certificate, context)
  yield* readMissing(lister, certificate, context)
  await endFullListing(lister, context)
}

/** Stores the sequence number before page one: a note whose evidence starts before it and that is not listed counts as missing. */
async function beginFullListing(lister: Lister, { clock }: SyncContext): Promise<void> {
  await lister.advance((startSequence) => ({ fullListing: newFullListing(startSequence, clock.now()) }))
}

function newFullListing(startSequence: number, beganAt: number): FullListingProgress {
  return {
    fullListingId: crypto.randomUUID(),
    startSequence,
    beganAt,
    phase: 'listing',
    cursor: null,
    seen: 0,
    kept: 0,
    missing: 0,
    holdsBack: false,
  }
}

async function* listAll(lister: Lister, context: SyncContext): AsyncGenerator<ListedPage> {
  requireNoWait(lister, 'full-listing', context)
  try {
    yield* listOnce(lister, context)
  } catch (error) {
    throw await recordFailure(lister, 'full-listing', error, context)
  }
}

/** Continues at the stored cursor. Begins again with page one if the service may no longer know the cursor, once in a call. */
async function* listOnce(lister: Lister, context: SyncContext): AsyncGenerator<ListedPage> {
  if (mustRestart(requireFullListing(lister.progress).track)) return yield* restart(lister, context)
  try {
    yield* followPages(lister, context, undefined)
  } catch (error) {
    const { cursor, track } = requireFullListing(lister.progress)
    const isUnknown = cursorSuspicion(error) === 'unknown' || hasFailedTooOften(error, track)
    if (cursor === null || !isUnknown) throw error
    yield* restart(lister, context)
  }
}

/**
 * Lists all notes again. The notes that were listed before the restart count as missing if they are not listed again, so this is another full listing.
 * It replaces the full listing under way, and its cursor, in the commit of page one.
 */
async function* restart(lister: Lister, context: SyncContext): AsyncGenerator<ListedPage> {
  await requireRestart(lister, 'full-listing', context)
  const { track } = requireFullListing(lister.progress)
  yield* followPages(lister, context, { ...newFullListing(lister.sequence, context.clock.now()), track })
}

async function* followPages(
  lister: Lister,
  context: SyncContext,
  again: FullListingProgress | undefined,
): AsyncGenerator<ListedPage> {
  const { client, store, integration, signal } = context
  const { live: total } = await store.count(integration)
  const { cursor: first } = again ?? requireFullListing(lister.progress)
  let restarted = again
  for await (const { notes, leftOut, next_cursor: cursor } of listPages(client, first, signal)) {
    const page = { phase: 'full-listing', notes, leftOut, cursor, restarted } as const
    const hasChangedNotes = await applyTracked(lister, page, context)
    restarted = undefined
    const { seen, track } = requireFullListing(lister.progress)
    yield { notice: { phase: 'full-listing', done: seen, total, idlePages: track?.idlePages }, hasChangedNotes, track }
  }
}

async function countMissing(
  lister: Lister,
  certificate: CompletionCertificate,
  { store, integration, hooks }: SyncContext,
): Promise<void> {
  const fullListing = requireFullListing(lister.progress)
  const { missing, live } = await store.count(integration, certificate)
  const holdsBack = missesTooMany({ missing, live, kept: fullListing.kept })
  await lister.advance(() => ({ fullListing: { ...fullListing, missing, holdsBack, phase: 'confirming' } }))
  if (holdsBack) hooks.onRemovalsHeld({ fullListingId: fullListing.fullListingId, missing, live })
}

/**
 * Whether a full listing misses so many notes that a mistake is likelier than deletions. Notes whose deletion a tombstone or an event has
 * announced count as neither live nor missing.
 */
function missesTooMany({ missing, live, kept }: { missing: number; live: number; kept: number }): boolean {
  const isEveryNote = missing > 0 && (kept === 0 || missing === live)
  return isEveryNote || missing > Math.max(MAX_MISSING, live * MAX_MISSING_SHARE)
}

/** Makes the missing notes due: only a read that does not find a note proves that it is gone. Yields after each page. */
async function* readMissing(
  lister: Lister,
  certificate: CompletionCertificate,
  context: SyncContext,
): AsyncGenerator<ListedPage> {
  const { store, integration, clock, ledger } = context
  const fullListing = requireFullListing(lister.progress)
  const holdingFullListing = fullListing.holdsBack ? fullListing.fullListingId : undefined
  let done = 0
  for (let after = ''; ; ) {
    const query = { missing: certificate, after, limit: PAGE_SIZE }
    const noteIds = noteIdsOf(await store.listStates(integration, query))
    const last = noteIds.at(-1)
    if (last === undefined) return
    await ledger.revise(noteIds, (state, sequence) =>
      markMissing(state, certificate, { holdingFullListing, sequence, at: clock.now() }),
    )
    after = last
    done += noteIds.length
    yield { notice: { phase: 'confirming', done, total: fullListing.missing }, hasChangedNotes: true }
  }
}

async function endFullListing(lister: Lister, { clock }: SyncContext): Promise<void> {
  const { fullListingId, startSequence, beganAt, seen, missing, holdsBack, unidentified } = requireFullListing(
    lister.progress,
  )
  const endedAt = clock.now()
  await lister.advance(() => ({
    fullListing: null,
    lastFullListing: { fullListingId, startSequence, beganAt, endedAt, seen, missing, holdsBack, unidentified },
  }))
}
