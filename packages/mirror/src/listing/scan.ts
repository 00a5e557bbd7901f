import type { SyncContext } from '../context/sync-context.ts'
import { callHook, type ProgressNotice } from '../interfaces/mirror-hooks.ts'
import { certify } from '../interfaces/progress.ts'
import { isExpiredCursor, listPages } from '../service/full-listing.ts'
import { confirmMissing } from './confirmation.ts'
import { type Lister, requireScan } from './lister.ts'

/** A scan holds removals back if it misses all notes, or more notes than both limits: a number, and a share of the live notes. */
const MAX_MISSING = 50
const MAX_MISSING_SHARE = 0.25

/**
 * Lists all notes, and confirms each missing note. Only a scan finds every deletion and every lost access that no event announced.
 * Continues an interrupted scan. Yields after each page.
 */
export async function* scan(lister: Lister, context: SyncContext): AsyncGenerator<ProgressNotice> {
  if (lister.progress.scan === null) await beginScan(lister, context)
  if (requireScan(lister.progress).phase === 'listing') yield* listAll(lister, context)
  if (requireScan(lister.progress).phase === 'listed') await countMissing(lister, context)
  yield* confirmMissing(lister, context)
  await endScan(lister, context)
}

/** Stores the sequence number before page one: a note whose evidence starts before it and that is not listed counts as missing. */
async function beginScan(lister: Lister, { clock }: SyncContext): Promise<void> {
  await lister.advance((startedAt) => ({
    scan: {
      scanId: crypto.randomUUID(),
      startedAt,
      beganAt: clock.now(),
      phase: 'listing',
      cursor: null,
      seen: 0,
      kept: 0,
      missing: 0,
      holdsBack: false,
      confirmation: null,
    },
  }))
}

async function* listAll(lister: Lister, context: SyncContext): AsyncGenerator<ProgressNotice> {
  try {
    yield* followPages(lister, context)
  } catch (error) {
    if (!isExpiredCursor(error)) throw error
    await beginScan(lister, context)
    yield* followPages(lister, context)
  }
}

async function* followPages(
  lister: Lister,
  { client, store, integration, signal }: SyncContext,
): AsyncGenerator<ProgressNotice> {
  const { live: total } = await store.count(integration)
  const { cursor: first } = requireScan(lister.progress)
  for await (const { notes, leftOut, next_cursor: cursor } of listPages(client, first, signal)) {
    await lister.applyPage({ phase: 'scan', notes, leftOut, cursor })
    yield { phase: 'scan', done: requireScan(lister.progress).seen, total }
  }
}

async function countMissing(lister: Lister, { store, integration, hooks }: SyncContext): Promise<void> {
  const scan = requireScan(lister.progress)
  const certificate = certify(scan)
  if (certificate === undefined) return
  const missing = await store.countCandidates(integration, certificate)
  const { live } = await store.count(integration)
  const holdsBack = missesTooMany({ missing, live, kept: scan.kept })
  await lister.advance(() => ({ scan: { ...scan, missing, holdsBack, phase: 'confirming' } }))
  if (holdsBack) callHook(hooks.onRemovalsHeld, { scanId: scan.scanId, missing, live })
}

/**
 * Whether a scan misses so many notes that a mistake is likelier than deletions. Notes whose deletion a tombstone or an event has
 * announced count as neither live nor missing.
 */
function missesTooMany({ missing, live, kept }: { missing: number; live: number; kept: number }): boolean {
  const isEveryNote = missing > 0 && (kept === 0 || missing === live)
  return isEveryNote || missing > Math.max(MAX_MISSING, live * MAX_MISSING_SHARE)
}

async function endScan(lister: Lister, { clock }: SyncContext): Promise<void> {
  const { scanId, startedAt, beganAt, seen, missing, holdsBack, unidentified } = requireScan(lister.progress)
  const endedAt = clock.now()
  await lister.advance(() => ({
    scan: null,
    lastScan: { scanId, startedAt, beganAt, endedAt, seen, missing, holdsBack, unidentified },
  }))
}
