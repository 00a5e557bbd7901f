import type { SyncContext } from '../fetching/sync.ts'
import { type CompletionCertificate, certify, type ScanProgress } from '../integrations/progress.ts'
import { noteIdsOf } from '../notes/note-state.ts'
import { markMissing } from '../rules/absence-rule.ts'
import { requireScan } from '../rules/listing-rule.ts'
import { mustRestart } from '../rules/listing-track.ts'
import { cursorSuspicion } from '../service/failures.ts'
import { listPages, PAGE_SIZE } from '../service/full-listing.ts'
import type { ListedPage, Lister } from './lister.ts'
import { applyTracked, hasFailedTooOften, recordFailure, requireNoWait, requireRestart } from './tracking.ts'

/** A scan holds removals back if it misses all notes, or more notes than both limits: a number, and a share of the live notes. */
const MAX_MISSING = 50
const MAX_MISSING_SHARE = 0.25

/**
 * Lists all notes, and has each missing note read. Only a scan finds every deletion and every lost access that no event announced.
 * Continues an interrupted scan. Yields after each page.
 */
export async function* scan(lister: Lister, context: SyncContext): AsyncGenerator<ListedPage> {
  if (lister.progress.scan === null) await beginScan(lister, context)
  if (requireScan(lister.progress).phase === 'listing') yield* listAll(lister, context)
  const certificate = certify(requireScan(lister.progress))
  if (certificate === undefined) return
  if (requireScan(lister.progress).phase === 'listed') await countMissing(lister, certificate, context)
  yield* readMissing(lister, certificate, context)
  await endScan(lister, context)
}

/** Stores the sequence number before page one: a note whose evidence starts before it and that is not listed counts as missing. */
async function beginScan(lister: Lister, { clock }: SyncContext): Promise<void> {
  await lister.advance((startSequence) => ({ scan: newScan(startSequence, clock.now()) }))
}

function newScan(startSequence: number, beganAt: number): ScanProgress {
  return {
    scanId: crypto.randomUUID(),
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
  requireNoWait(lister, 'scan', context)
  try {
    yield* listOnce(lister, context)
  } catch (error) {
    throw await recordFailure(lister, 'scan', error, context)
  }
}

/** Continues at the stored cursor. Begins again with page one if the service may no longer know the cursor, once in a call. */
async function* listOnce(lister: Lister, context: SyncContext): AsyncGenerator<ListedPage> {
  if (mustRestart(requireScan(lister.progress).track)) return yield* restart(lister, context)
  try {
    yield* followPages(lister, context, undefined)
  } catch (error) {
    const { cursor, track } = requireScan(lister.progress)
    const isUnknown = cursorSuspicion(error) === 'unknown' || hasFailedTooOften(error, track)
    if (cursor === null || !isUnknown) throw error
    yield* restart(lister, context)
  }
}

/**
 * Lists all notes again. The notes that were listed before the restart count as missing if they are not listed again, so this is another scan.
 * It replaces the scan under way, and its cursor, in the commit of page one.
 */
async function* restart(lister: Lister, context: SyncContext): AsyncGenerator<ListedPage> {
  await requireRestart(lister, 'scan', context)
  const { track } = requireScan(lister.progress)
  yield* followPages(lister, context, { ...newScan(lister.sequence, context.clock.now()), track })
}

async function* followPages(
  lister: Lister,
  context: SyncContext,
  again: ScanProgress | undefined,
): AsyncGenerator<ListedPage> {
  const { client, store, integration, signal } = context
  const { live: total } = await store.count(integration)
  const { cursor: first } = again ?? requireScan(lister.progress)
  let restarted = again
  for await (const { notes, leftOut, next_cursor: cursor } of listPages(client, first, signal)) {
    const page = { phase: 'scan', notes, leftOut, cursor, restarted } as const
    const hasChangedNotes = await applyTracked(lister, page, context)
    restarted = undefined
    const { seen, track } = requireScan(lister.progress)
    yield { notice: { phase: 'scan', done: seen, total, idlePages: track?.idlePages }, hasChangedNotes, track }
  }
}

async function countMissing(
  lister: Lister,
  certificate: CompletionCertificate,
  { store, integration, hooks }: SyncContext,
): Promise<void> {
  const scan = requireScan(lister.progress)
  const { missing, live } = await store.count(integration, certificate)
  const holdsBack = missesTooMany({ missing, live, kept: scan.kept })
  await lister.advance(() => ({ scan: { ...scan, missing, holdsBack, phase: 'confirming' } }))
  if (holdsBack) hooks.onRemovalsHeld({ scanId: scan.scanId, missing, live })
}

/**
 * Whether a scan misses so many notes that a mistake is likelier than deletions. Notes whose deletion a tombstone or an event has
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
  const scan = requireScan(lister.progress)
  const holdingScan = scan.holdsBack ? scan.scanId : undefined
  let done = 0
  for (let after = ''; ; ) {
    const query = { missing: certificate, after, limit: PAGE_SIZE }
    const noteIds = noteIdsOf(await store.listStates(integration, query))
    const last = noteIds.at(-1)
    if (last === undefined) return
    await ledger.revise(noteIds, (state, sequence) =>
      markMissing(state, certificate, { holdingScan, sequence, at: clock.now() }),
    )
    after = last
    done += noteIds.length
    yield { notice: { phase: 'confirming', done, total: scan.missing }, hasChangedNotes: true }
  }
}

async function endScan(lister: Lister, { clock }: SyncContext): Promise<void> {
  const { scanId, startSequence, beganAt, seen, missing, holdsBack, unidentified } = requireScan(lister.progress)
  const endedAt = clock.now()
  await lister.advance(() => ({
    scan: null,
    lastScan: { scanId, startSequence, beganAt, endedAt, seen, missing, holdsBack, unidentified },
  }))
}
