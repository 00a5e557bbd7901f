import { NotesClientError } from '@notewire/client'
import type { SyncContext } from '../context/sync-context.ts'
import { callHook, type ProgressNotice } from '../interfaces/mirror-hooks.ts'
import { type CompletionCertificate, certify, type ScanProgress } from '../interfaces/progress.ts'
import { postpone } from '../rules/backoff.ts'
import { applyRead, holdIfMissing } from '../rules/read-rule.ts'
import { FailureStreak, failsForEveryNote } from '../service/failures.ts'
import { firstListedId, isExpiredCursor, listPages, PAGE_SIZE } from '../service/full-listing.ts'
import { type Lister, requireScan } from './lister.ts'

/**
 * Checks whether the notes that a scan did not list are gone: reads each of them, or lists all notes a second time if the service cannot
 * read single notes. Yields after each page.
 */
export async function* confirmMissing(lister: Lister, context: SyncContext): AsyncGenerator<ProgressNotice> {
  const scan = requireScan(lister.progress)
  const certificate = certify(scan)
  if (certificate === undefined) return
  const [first] = await context.store.listCandidates(context.integration, certificate, '', 1)
  if (first === undefined) return
  if (scan.confirmation !== null || !(await readsSingleNotes(context))) {
    yield* confirmByListing(lister, certificate, context)
  } else {
    yield* confirmByReads(lister, certificate, context)
  }
}

/**
 * Whether the service can read single notes (open point 8). Reads a listed note to find out. Returns `true` if no note is listed: the
 * list may be empty by mistake, and only single reads can then confirm a deletion.
 */
async function readsSingleNotes({ client, signal }: SyncContext): Promise<boolean> {
  if (client.notes.readsFromList) return false
  try {
    const noteId = await firstListedId(client, signal)
    if (noteId !== undefined) await client.notes.get(noteId, { signal })
  } catch (error) {
    // An error that concerns only this note is ignored: it does not show whether the service can read single notes.
    if (signal.aborted || failsForEveryNote(error) || !(error instanceof NotesClientError)) throw error
  }
  return !client.notes.readsFromList
}

async function* confirmByListing(
  lister: Lister,
  certificate: CompletionCertificate,
  context: SyncContext,
): AsyncGenerator<ProgressNotice> {
  if (requireScan(lister.progress).confirmation === null) await beginSecondListing(lister)
  try {
    yield* listSecondTime(lister, context)
  } catch (error) {
    if (!isExpiredCursor(error)) throw error
    await beginSecondListing(lister)
    yield* listSecondTime(lister, context)
  }
  await removeUnlisted(lister, certificate, context)
}

/** Records a new sequence number as the start of the second listing. It is greater than those of the scan's pages. */
async function beginSecondListing(lister: Lister): Promise<void> {
  await lister.advance((startedAt) => ({
    scan: { ...requireScan(lister.progress), confirmation: { startedAt, cursor: null, isComplete: false } },
  }))
}

async function* listSecondTime(lister: Lister, { client, signal }: SyncContext): AsyncGenerator<ProgressNotice> {
  const { seen: total, confirmation } = requireScan(lister.progress)
  if (confirmation === null || confirmation.isComplete) return
  let done = 0
  for await (const { notes, leftOut, next_cursor: cursor } of listPages(client, confirmation.cursor, signal)) {
    // `applyPage` records that each listed note exists, so it no longer counts as missing.
    await lister.applyPage({ phase: 'confirming', notes, leftOut, cursor })
    done += notes.length
    yield { phase: 'confirming', done, total }
  }
}

/** Removes the notes that neither listing contains, unless a listed note without an identifier may be one of them. */
async function removeUnlisted(lister: Lister, certificate: CompletionCertificate, context: SyncContext): Promise<void> {
  const { clock, keep, ledger } = context
  const scan = requireScan(lister.progress)
  const { beganAt: requestedAt, confirmation, unidentified } = scan
  if (confirmation?.isComplete !== true || unidentified !== undefined) return
  for await (const noteIds of missingNotes(certificate, context)) {
    await ledger.revise(noteIds, (state, end) => {
      const stamp = { start: confirmation.startedAt, end, source: 'scan', requestedAt, at: clock.now() } as const
      return applyRead(state, undefined, stamp, { keep, holdingScan: holdingScanOf(scan) })
    })
    await lister.renewLease()
  }
}

async function* confirmByReads(
  lister: Lister,
  certificate: CompletionCertificate,
  context: SyncContext,
): AsyncGenerator<ProgressNotice> {
  const { missing: total } = requireScan(lister.progress)
  let done = 0
  for await (const noteIds of missingNotes(certificate, context)) {
    await confirmAll(noteIds, lister, context)
    done += noteIds.length
    yield { phase: 'confirming', done, total }
    await lister.renewLease()
  }
}

/** Lists the ids of the missing notes, page by page. */
async function* missingNotes(certificate: CompletionCertificate, { store, integration }: SyncContext) {
  for (let after = ''; ; ) {
    const noteIds = await store.listCandidates(integration, certificate, after, PAGE_SIZE)
    const last = noteIds.at(-1)
    if (last === undefined) return
    yield noteIds
    after = last
  }
}

/** Reads missing notes, up to `concurrency` at a time. */
async function confirmAll(noteIds: readonly string[], lister: Lister, context: SyncContext): Promise<void> {
  const { client, concurrency, erasure, shouldYield, signal } = context
  const { sequence: start } = lister
  const holdingScan = holdingScanOf(requireScan(lister.progress))
  const queue = [...noteIds]
  const streak = new FailureStreak(client, signal)
  const work = async () => {
    for (let noteId = queue.shift(); noteId !== undefined && !shouldYield(); noteId = queue.shift()) {
      try {
        await confirm(noteId, start, holdingScan, context)
        streak.recordSuccess()
      } catch (error) {
        if (signal.aborted || failsForEveryNote(error)) throw error
        await markUnreadable(noteId, error, holdingScan, context)
        await streak.recordFailure()
      }
      await erasure.runIfDue()
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, work))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function confirm(
  noteId: string,
  start: number,
  holdingScan: string | undefined,
  { clock, keep, ledger, readNote }: SyncContext,
): Promise<void> {
  const requestedAt = clock.now()
  const note = await readNote(noteId)
  await ledger.revise([noteId], (state, end) =>
    applyRead(state, note, { start, end, source: 'read', requestedAt, at: clock.now() }, { keep, holdingScan }),
  )
}

/**
 * Marks a missing note whose read failed as dirty, so that the scan can end and a later sync reads the note. If that read does not find
 * the note and the scan holds removals back, the removal of the note is held back.
 */
async function markUnreadable(
  noteId: string,
  error: unknown,
  holdingScan: string | undefined,
  { clock, hooks, ledger }: SyncContext,
): Promise<void> {
  callHook(hooks.onProblem, { error, noteId })
  await ledger.revise([noteId], (state, sequence) =>
    postpone({ ...holdIfMissing(state, holdingScan), dirty: state.dirty ?? sequence }, clock.now()),
  )
}

/** The id of the scan if it holds removals back, because too many notes are missing. */
function holdingScanOf({ scanId, holdsBack }: ScanProgress): string | undefined {
  return holdsBack ? scanId : undefined
}
