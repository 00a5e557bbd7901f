import { Batch } from '../concurrency/batch.ts'
import type { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { SyncReport } from '../context/sync-options.ts'
import { callHook } from '../interfaces/mirror-hooks.ts'
import type { KnownNote } from '../ledger/ledger.ts'
import { postpone } from '../rules/backoff.ts'
import { FailureStreak, failsForEveryNote } from '../service/failures.ts'
import { DueQueue, type TakenNote } from './due-queue.ts'
import { refresh } from './refresher.ts'

/** How many notes are written together. SQLite blocks the thread for about 3 ms meanwhile. */
const NOTES_PER_COMMIT = 16

/** The longest time that content waits to be written together with the content of other notes, in milliseconds. */
const MAX_WAIT_MS = 50

interface Settled extends Pick<SyncReport, 'settled' | 'postponed'> {
  /** When the next note is due, if that is known. */
  readonly nextDueAt: number | null | undefined
}

/**
 * Reads every due note, up to `concurrency` at a time, until none is due and the listing has ended.
 *
 * @param pages  wakes its waiters after each page of a listing, and ends with the listing
 * @param isAnyDue  whether a note may be due before the first page
 * @throws errors that would affect every other request: a refused key, a service that is down
 */
export async function settleDue(context: SyncContext, pages: Wakeup, isAnyDue: boolean): Promise<Settled> {
  const { client, clock, concurrency, erasure, hooks, ledger, signal, stop } = context
  const streak = new FailureStreak(client, signal)
  const queue = new DueQueue(context, pages, isAnyDue)
  let settled = 0
  let postponed = 0
  const unwritten = new Batch<KnownNote>(NOTES_PER_COMMIT, () => clock.sleep(MAX_WAIT_MS, signal), write)

  async function work(): Promise<void> {
    for (let hasRead = false; ; hasRead = true) {
      const taken = await queue.take(hasRead)
      if (taken === undefined) {
        // Content that is written late may make its note due again.
        if (await unwritten.flush()) continue
        return
      }
      const known = await attempt(taken)
      if (known !== undefined) await unwritten.add(known)
      await erasure.runIfDue()
    }
  }

  /** @returns the note, if its content was read and is not written yet */
  async function attempt({ note, start }: TakenNote): Promise<KnownNote | undefined> {
    try {
      const known = await refresh(note, start, context)
      streak.recordSuccess()
      if (known === undefined) countSettled()
      return known
    } catch (error) {
      await postponeFailed(note.state.noteId, error)
      return undefined
    }
  }

  async function write(notes: readonly KnownNote[]): Promise<void> {
    const left = new Set(await ledger.reviseKnown(notes))
    for (const note of notes) {
      const { noteId } = note.state
      try {
        if (left.has(note)) await ledger.revise([noteId], note.decide)
        countSettled()
      } catch (error) {
        await postponeFailed(noteId, error)
      }
    }
  }

  function countSettled(): void {
    settled += 1
    callHook(hooks.onProgress, { phase: 'content', done: settled })
  }

  async function postponeFailed(noteId: string, error: unknown): Promise<void> {
    if (signal.aborted) return await release([noteId])
    callHook(hooks.onProblem, { error, noteId })
    postponed += 1
    if (failsForEveryNote(error)) stop(error)
    else await streak.recordFailure().catch(stop)
    await ledger.revise([noteId], (state) => postpone(state, clock.now()))
  }

  /** Ends the leases of taken notes that were not read. */
  async function release(noteIds: readonly string[]): Promise<void> {
    const now = clock.now()
    await ledger.revise(noteIds, (state) => ({ state: { ...state, dueAt: state.dueAt === null ? null : now } }))
  }

  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work))
  const outcomes = [...workers, ...(await Promise.allSettled([unwritten.flush()]))]
  const left = queue.drain()
  if (left.length > 0) await release(left.map(({ note }) => note.state.noteId))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  signal.throwIfAborted()
  return { settled, postponed, nextDueAt: left.length === 0 ? queue.nextDueAt : undefined }
}
