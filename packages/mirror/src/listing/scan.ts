import { type NotesClient, NotesClientError } from '@notewire/client'
import { tell } from '../mirror-hooks.ts'
import { concernsAll, FailureStreak } from '../refreshing/failures.ts'
import type { ReadNote } from '../refreshing/note-reader.ts'
import { postpone } from '../rules/postponement.ts'
import { applyRead, type Reading } from '../rules/read-rule.ts'
import type { CompletionCertificate } from './certificate.ts'
import type { Lister, ListingTools } from './lister.ts'
import { certify, type ScanProgress } from './progress.ts'

const NOTES_ON_A_PAGE = 100

/** Fewer missing notes than this are never held back. */
const LEAST_HELD = 50
/** The share of live notes that may be missing. */
const SHARE_HELD = 0.25

/** What a scan needs beside what every listing needs. */
export interface ScanTools extends ListingTools {
  readonly readNote: ReadNote
  readonly concurrency: number
}

/**
 * Lists everything, and confirms by one read each what was not shown: the only thing that finds deletions, and lost access, of
 * which no event came. It goes on where it was interrupted.
 */
export async function scan(lister: Lister, tools: ScanTools): Promise<void> {
  if (lister.progress.scan === null) await beginScan(lister, tools)
  if (scanOf(lister).phase === 'listing') await listAll(lister, tools)
  if (scanOf(lister).phase === 'listed') await countMissing(lister, tools)
  await confirmMissing(lister, tools)
}

async function beginScan(lister: Lister, { ledger }: ScanTools): Promise<void> {
  const scan: ScanProgress = {
    scanId: crypto.randomUUID(),
    startedAt: lister.sequence,
    beganAt: ledger.clock.now(),
    phase: 'listing',
    cursor: null,
    seen: 0,
    missing: 0,
    holdsBack: false,
  }
  // The number is written down before page one: what was read before it proves nothing to this scan.
  await lister.advance({ scan })
}

async function listAll(lister: Lister, tools: ScanTools): Promise<void> {
  try {
    await followPages(lister, tools)
  } catch (error) {
    if (!isForgottenCursor(error)) throw error
    // What was not shown may have been on a page that never came: only a listing from its first page proves anything.
    await beginScan(lister, tools)
    await followPages(lister, tools)
  }
}

async function followPages(lister: Lister, { client, store, scope, signal }: ScanTools): Promise<void> {
  const { live: total } = await store.count(scope)
  const cursor = lister.progress.scan?.cursor ?? undefined
  for await (const page of pagesOf(client, cursor, signal)) {
    await lister.applyPage(page.notes, 'scan', ({ live }) => {
      const scan = scanOf(lister)
      const isLast = page.next_cursor === null
      return {
        scan: { ...scan, seen: scan.seen + live, cursor: page.next_cursor, phase: isLast ? 'listed' : 'listing' },
      }
    })
    lister.tellProgress('scan', scanOf(lister).seen, total)
  }
}

function pagesOf(client: NotesClient, cursor: string | undefined, signal: AbortSignal) {
  return client.notes.list({ include_deleted: true, limit: NOTES_ON_A_PAGE, cursor }, { signal }).pages()
}

async function countMissing(lister: Lister, { store, scope, hooks }: ScanTools): Promise<void> {
  const scan = scanOf(lister)
  const certificate = certify(scan)
  if (certificate === undefined) return
  const missing = await store.countCandidates(scope, certificate)
  const { live } = await store.count(scope)
  const holdsBack = missing > Math.max(LEAST_HELD, live * SHARE_HELD)
  await lister.advance({ scan: { ...scan, missing, holdsBack, phase: 'confirming' } })
  if (holdsBack) tell(hooks.onRemovalsHeld, { scanId: scan.scanId, missing, live })
}

async function confirmMissing(lister: Lister, tools: ScanTools): Promise<void> {
  const scan = scanOf(lister)
  const certificate = certify(scan)
  if (certificate === undefined) return
  let done = 0
  for (let after = ''; ; ) {
    const noteIds = await tools.store.listCandidates(tools.scope, certificate, after, NOTES_ON_A_PAGE)
    const last = noteIds.at(-1)
    if (last === undefined) break
    await confirmAll(noteIds, lister.sequence, scan.holdsBack ? certificate : undefined, tools)
    after = last
    done += noteIds.length
    lister.tellProgress('confirming', done, scan.missing)
    await lister.advance({})
  }
  const { scanId, beganAt, seen, missing, holdsBack } = scan
  const endedAt = tools.ledger.clock.now()
  await lister.advance({ scan: null, lastScan: { scanId, beganAt, endedAt, seen, missing, holdsBack } })
}

/** Reads what was missing, several notes at once. */
async function confirmAll(
  noteIds: readonly string[],
  start: number,
  holding: CompletionCertificate | undefined,
  tools: ScanTools,
): Promise<void> {
  const line = [...noteIds]
  const streak = new FailureStreak(tools.client, tools.signal)
  const work = async () => {
    for (let noteId = line.shift(); noteId !== undefined; noteId = line.shift()) {
      try {
        await confirm(noteId, start, holding, tools)
        streak.end()
      } catch (error) {
        if (tools.signal.aborted || concernsAll(error)) throw error
        await leaveOpen(noteId, error, holding, tools)
        await streak.lengthen()
      }
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: tools.concurrency }, work))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function confirm(
  noteId: string,
  start: number,
  holding: CompletionCertificate | undefined,
  { readNote, ledger }: ScanTools,
): Promise<void> {
  const note = await readNote(noteId)
  await ledger.revise([noteId], (state, end) => {
    const reading: Reading = { start, end, source: 'read', at: ledger.clock.now() }
    return applyRead(state, note, reading, { keep: ledger.keep, holdingScan: holding?.scanId })
  })
}

/** A note that cannot be read is neither here nor gone: it is read again, and must not keep the scan from its end. */
async function leaveOpen(
  noteId: string,
  error: unknown,
  holding: CompletionCertificate | undefined,
  { ledger, hooks }: ScanTools,
): Promise<void> {
  tell(hooks.onProblem, { error, noteId })
  // Outside the scan nothing would hold it back.
  if (holding !== undefined) return
  await ledger.revise([noteId], (state, sequence) =>
    postpone({ ...state, dirty: state.dirty ?? sequence }, ledger.clock.now()),
  )
}

function scanOf(lister: Lister): ScanProgress {
  const { scan } = lister.progress
  if (scan === null) throw new Error('no scan is under way')
  return scan
}

function isForgottenCursor(error: unknown): boolean {
  return error instanceof NotesClientError && (error.code === 'cursor_expired' || error.code === 'invalid_request')
}
