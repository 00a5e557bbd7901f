import type { SyncContext } from '../fetching/sync.ts'
import { type CompletionCertificate, certify, type FullListingProgress } from '../integrations/progress.ts'
import { eachNote } from '../ledger/ledger.ts'
import { noteIdsOf } from '../notes/note-state.ts'
import { markMissing } from '../rules/absence-rule.ts'
import { requireFullListing } from '../rules/listing-rule.ts'
import { listPages, PAGE_SIZE } from '../service/full-listing.ts'
import { applyPage } from './apply-page.ts'
import { type Copy, writeProgress } from './copy.ts'
import { followFromCursor, isIdleForTooLong, type ListedPage, type ListingState, stall } from './tracking.ts'

/** A full listing holds removals back if it misses all notes, or more notes than both limits: a number, and a share of the live notes. */
const MAX_MISSING = 50
const MAX_MISSING_SHARE = 0.25

/**
 * Lists all notes, and has each missing note read. Only a full listing finds every deletion and every lost access that no event announced.
 * Continues an interrupted full listing. Yields after each page.
 */
export async function* fullListing(begin: Copy, context: SyncContext): AsyncGenerator<ListedPage, ListingState> {
  let copy = begin.progress.fullListing === null ? await beginFullListing(begin, context) : begin
  if (requireFullListing(copy.progress).phase === 'listing') {
    const listed = yield* followFromCursor<ListingState>({ copy }, 'full-listing', context, (from, isRestart) =>
      followPages(from.copy, context, isRestart),
    )
    if (listed.error !== undefined) return listed
    copy = listed.copy
  }
  const certificate = certify(requireFullListing(copy.progress))
  if (certificate === undefined) return { copy }
  if (requireFullListing(copy.progress).phase === 'listed') copy = await countMissing(copy, certificate, context)
  yield* readMissing(copy, certificate, context)
  return { copy: await endFullListing(copy, context) }
}

/** Stores the sequence number before page one: a note whose evidence starts before it and that is not listed counts as missing. */
async function beginFullListing(copy: Copy, context: SyncContext): Promise<Copy> {
  return await writeProgress(copy, context, (startSequence) => ({
    fullListing: newFullListing(startSequence, context.clock.now()),
  }))
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

async function* followPages(
  begin: Copy,
  context: SyncContext,
  isRestart: boolean,
): AsyncGenerator<ListedPage, ListingState> {
  const { client, store, integration, signal } = context
  let copy = begin
  let restarted = isRestart ? restartedListing(copy, context) : undefined
  try {
    const { live: total } = await store.count(integration)
    const { cursor: first } = restarted ?? requireFullListing(copy.progress)
    for await (const { notes, leftOut, next_cursor: cursor } of listPages(client, first, signal)) {
      const page = { phase: 'full-listing', notes, leftOut, cursor, restarted } as const
      const applied = await applyPage(copy, page, context)
      if (isIdleForTooLong(copy, applied.copy, 'full-listing')) return await stall(applied, 'full-listing', context)
      copy = applied.copy
      restarted = undefined
      const { seen, track } = requireFullListing(copy.progress)
      yield { ...applied, notice: { phase: 'full-listing', done: seen, total, idlePages: track?.idlePages } }
    }
    return { copy }
  } catch (error) {
    return { copy, error }
  }
}

/**
 * The full listing that replaces the one under way, and its cursor, in the commit of page one. The notes that were listed before the restart count as
 * missing if they are not listed again, so this is another full listing.
 */
function restartedListing({ sequence, progress }: Copy, { clock }: SyncContext): FullListingProgress {
  const { track } = requireFullListing(progress)
  return { ...newFullListing(sequence, clock.now()), track }
}

async function countMissing(copy: Copy, certificate: CompletionCertificate, context: SyncContext): Promise<Copy> {
  const { store, integration, hooks } = context
  const fullListing = requireFullListing(copy.progress)
  const { missing, live } = await store.count(integration, certificate)
  const holdsBack = missesTooMany({ missing, live, kept: fullListing.kept })
  const counted = { ...fullListing, missing, holdsBack, phase: 'confirming' } as const
  const written = await writeProgress(copy, context, () => ({ fullListing: counted }))
  if (holdsBack) hooks.onRemovalsHeld({ fullListingId: fullListing.fullListingId, missing, live })
  return written
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
  copy: Copy,
  certificate: CompletionCertificate,
  context: SyncContext,
): AsyncGenerator<ListedPage> {
  const { store, integration, clock, ledger } = context
  const fullListing = requireFullListing(copy.progress)
  const holdingFullListing = fullListing.holdsBack ? fullListing.fullListingId : undefined
  let done = 0
  for (let after = ''; ; ) {
    const query = { missing: certificate, after, limit: PAGE_SIZE }
    const noteIds = noteIdsOf(await store.listStates(integration, query))
    const last = noteIds.at(-1)
    if (last === undefined) return
    await ledger.commit(
      eachNote(noteIds, (state, { sequence }) =>
        markMissing(state, certificate, { holdingFullListing, sequence, at: clock.now() }),
      ),
    )
    after = last
    done += noteIds.length
    yield { copy, notice: { phase: 'confirming', done, total: fullListing.missing }, hasChangedNotes: true }
  }
}

async function endFullListing(copy: Copy, context: SyncContext): Promise<Copy> {
  const { fullListingId, startSequence, beganAt, seen, missing, holdsBack, unidentified } = requireFullListing(
    copy.progress,
  )
  const endedAt = context.clock.now()
  return await writeProgress(copy, context, () => ({
    fullListing: null,
    lastFullListing: { fullListingId, startSequence, beganAt, endedAt, seen, missing, holdsBack, unidentified },
  }))
}
