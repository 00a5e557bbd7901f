import { NotesClientError } from '@notewire/client'
import type { SyncContext } from '../context/sync-context.ts'
import { callHook, type ProgressNotice } from '../interfaces/mirror-hooks.ts'
import { type CompletionCertificate, certify, type ScanProgress } from '../interfaces/progress.ts'
import { postpone } from '../rules/backoff.ts'
import { applyRead, heldIfMissing } from '../rules/read-rule.ts'
import { FailureStreak, failsForEveryNote } from '../service/failures.ts'
import { firstListedNote, isForgottenCursor, NOTES_ON_A_PAGE, pagesOf } from '../service/full-listing.ts'
import { type Lister, scanOf } from './lister.ts'

/**
 * Reads once more what a scan did not show: each note by itself, or all by a second listing if the service reads no single notes.
 * Yields after each page.
 */
export async function* confirmMissing(lister: Lister, context: SyncContext): AsyncGenerator<ProgressNotice> {
  const scan = scanOf(lister.progress)
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
 * Whether the service reads single notes (open point 8). The client finds that out by a note that is listed. If none is, single reads
 * are tried: an empty list may be a mistake.
 */
async function readsSingleNotes({ client, signal }: SyncContext): Promise<boolean> {
  if (client.notes.readsFromList) return false
  const note = await firstListedNote(client, signal)
  try {
    if (note !== undefined) await client.notes.get(note.note_id, { signal })
  } catch (error) {
    // The failure of one note says nothing about the others.
    if (signal.aborted || failsForEveryNote(error) || !(error instanceof NotesClientError)) throw error
  }
  return !client.notes.readsFromList
}

async function* confirmByListing(
  lister: Lister,
  certificate: CompletionCertificate,
  context: SyncContext,
): AsyncGenerator<ProgressNotice> {
  if (scanOf(lister.progress).confirmation === null) await beginListing(lister)
  try {
    yield* listAgain(lister, context)
  } catch (error) {
    if (!isForgottenCursor(error)) throw error
    await beginListing(lister)
    yield* listAgain(lister, context)
  }
  await removeUnshown(lister, certificate, context)
}

/** The sequence number of the second listing is after everything that the scan listed. */
async function beginListing(lister: Lister): Promise<void> {
  await lister.advance((startedAt) => ({
    scan: { ...scanOf(lister.progress), confirmation: { startedAt, cursor: null, isComplete: false } },
  }))
}

async function* listAgain(lister: Lister, { client, signal }: SyncContext): AsyncGenerator<ProgressNotice> {
  const { seen: total, confirmation } = scanOf(lister.progress)
  if (confirmation === null || confirmation.isComplete) return
  let done = 0
  for await (const { notes, next_cursor: cursor } of pagesOf(client, confirmation.cursor, signal)) {
    // A note that it shows has new evidence, so it is no longer missing.
    await lister.applyPage({ phase: 'confirming', notes, cursor })
    done += notes.length
    yield { phase: 'confirming', done, total }
  }
}

/** Removes the notes that neither listing showed. */
async function removeUnshown(lister: Lister, certificate: CompletionCertificate, context: SyncContext): Promise<void> {
  const { clock, keep, ledger } = context
  const scan = scanOf(lister.progress)
  const { beganAt: begunAt, confirmation } = scan
  if (confirmation?.isComplete !== true) return
  for await (const noteIds of candidates(certificate, context)) {
    await ledger.revise(noteIds, (state, end) => {
      const stamp = { start: confirmation.startedAt, end, source: 'scan', begunAt, at: clock.now() } as const
      return applyRead(state, undefined, stamp, { keep, holdingScan: holdingScanOf(scan) })
    })
    await lister.advance(() => ({}))
  }
}

async function* confirmByReads(
  lister: Lister,
  certificate: CompletionCertificate,
  context: SyncContext,
): AsyncGenerator<ProgressNotice> {
  const { missing: total } = scanOf(lister.progress)
  let done = 0
  for await (const noteIds of candidates(certificate, context)) {
    await confirmAll(noteIds, lister, context)
    done += noteIds.length
    yield { phase: 'confirming', done, total }
    await lister.advance(() => ({}))
  }
}

async function* candidates(certificate: CompletionCertificate, { store, integration }: SyncContext) {
  for (let after = ''; ; ) {
    const noteIds = await store.listCandidates(integration, certificate, after, NOTES_ON_A_PAGE)
    const last = noteIds.at(-1)
    if (last === undefined) return
    yield noteIds
    after = last
  }
}

/** Reads missing notes, several at once. */
async function confirmAll(noteIds: readonly string[], lister: Lister, context: SyncContext): Promise<void> {
  const { client, concurrency, erasure, isEnough, signal } = context
  const { sequence: start } = lister
  const holdingScan = holdingScanOf(scanOf(lister.progress))
  const left = [...noteIds]
  const streak = new FailureStreak(client, signal)
  const work = async () => {
    for (let noteId = left.shift(); noteId !== undefined && !isEnough(); noteId = left.shift()) {
      try {
        await confirm(noteId, start, holdingScan, context)
        streak.recordSuccess()
      } catch (error) {
        if (signal.aborted || failsForEveryNote(error)) throw error
        await leaveOpen(noteId, error, holdingScan, context)
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
  const begunAt = clock.now()
  const note = await readNote(noteId)
  await ledger.revise([noteId], (state, end) =>
    applyRead(state, note, { start, end, source: 'read', begunAt, at: clock.now() }, { keep, holdingScan }),
  )
}

/**
 * Marks a missing note that cannot be read, so that it is read again and the scan can end. If that read does not find it, the note is
 * held back as the scan would have held it back.
 */
async function leaveOpen(
  noteId: string,
  error: unknown,
  holdingScan: string | undefined,
  { clock, hooks, ledger }: SyncContext,
): Promise<void> {
  callHook(hooks.onProblem, { error, noteId })
  await ledger.revise([noteId], (state, sequence) =>
    postpone({ ...heldIfMissing(state, holdingScan), dirty: state.dirty ?? sequence }, clock.now()),
  )
}

function holdingScanOf({ scanId, holdsBack }: ScanProgress): string | undefined {
  return holdsBack ? scanId : undefined
}
