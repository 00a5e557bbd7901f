import type { SyncContext } from '../context/sync-context.ts'
import { callHook, type ProgressNotice } from '../interfaces/mirror-hooks.ts'
import { certify } from '../interfaces/progress.ts'
import { isForgottenCursor, pagesOf } from '../service/full-listing.ts'
import { confirmMissing } from './confirmation.ts'
import { type Lister, scanOf } from './lister.ts'

/** A scan holds removals back if it misses more notes than this and than `SHARE_HELD`, or all notes. */
const LEAST_HELD = 50
/** The share of live notes that may be missing. */
const SHARE_HELD = 0.25

/**
 * Lists all notes, and reads each missing note once more. Only a scan finds every deletion and every lost access that no event announced.
 * It continues where it was interrupted, and yields after each page.
 */
export async function* scan(lister: Lister, context: SyncContext): AsyncGenerator<ProgressNotice> {
  if (lister.progress.scan === null) await beginScan(lister, context)
  if (scanOf(lister.progress).phase === 'listing') yield* listAll(lister, context)
  if (scanOf(lister.progress).phase === 'listed') await countMissing(lister, context)
  yield* confirmMissing(lister, context)
  await endScan(lister, context)
}

/** Writes the sequence number down before page one: reads before it prove nothing to this scan. */
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
    if (!isForgottenCursor(error)) throw error
    await beginScan(lister, context)
    yield* followPages(lister, context)
  }
}

async function* followPages(
  lister: Lister,
  { client, store, integration, signal }: SyncContext,
): AsyncGenerator<ProgressNotice> {
  const { live: total } = await store.count(integration)
  for await (const { notes, next_cursor: cursor } of pagesOf(client, scanOf(lister.progress).cursor, signal)) {
    await lister.applyPage({ phase: 'scan', notes, cursor })
    yield { phase: 'scan', done: scanOf(lister.progress).seen, total }
  }
}

async function countMissing(lister: Lister, { store, integration, hooks }: SyncContext): Promise<void> {
  const scan = scanOf(lister.progress)
  const certificate = certify(scan)
  if (certificate === undefined) return
  const missing = await store.countCandidates(integration, certificate)
  const { live } = await store.count(integration)
  const holdsBack = isTooMuch({ missing, live, kept: scan.kept })
  await lister.advance(() => ({ scan: { ...scan, missing, holdsBack, phase: 'confirming' } }))
  if (holdsBack) callHook(hooks.onRemovalsHeld, { scanId: scan.scanId, missing, live })
}

/**
 * Whether a scan misses so much that a mistake is likelier than deletions. What a tombstone or a deletion event proved to be gone is
 * neither live nor missing here.
 */
function isTooMuch({ missing, live, kept }: { missing: number; live: number; kept: number }): boolean {
  const isEveryNote = missing > 0 && (kept === 0 || missing === live)
  return isEveryNote || missing > Math.max(LEAST_HELD, live * SHARE_HELD)
}

async function endScan(lister: Lister, { clock }: SyncContext): Promise<void> {
  const { scanId, beganAt, seen, missing, holdsBack } = scanOf(lister.progress)
  const endedAt = clock.now()
  await lister.advance(() => ({ scan: null, lastScan: { scanId, beganAt, endedAt, seen, missing, holdsBack } }))
}
