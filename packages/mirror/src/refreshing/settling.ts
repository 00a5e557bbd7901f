import type { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { SyncReport } from '../context/sync-options.ts'
import { callHook } from '../interfaces/mirror-hooks.ts'
import { postpone } from '../rules/backoff.ts'
import { FailureStreak, failsForEveryNote } from '../service/failures.ts'
import { DueQueue, type TakenNote } from './due-queue.ts'
import { refresh } from './refresher.ts'

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

  async function work(): Promise<void> {
    for (let taken = await queue.take(false); taken !== undefined; taken = await queue.take(true)) {
      await attempt(taken)
      await erasure.runIfDue()
    }
  }

  async function attempt({ note, start }: TakenNote): Promise<void> {
    try {
      await refresh(note, start, context)
      settled += 1
      streak.recordSuccess()
      callHook(hooks.onProgress, { phase: 'content', done: settled })
    } catch (error) {
      await postponeFailed(note.state.noteId, error)
    }
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

  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, work))
  const left = queue.drain()
  if (left.length > 0) await release(left.map(({ note }) => note.state.noteId))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  signal.throwIfAborted()
  return { settled, postponed, nextDueAt: left.length === 0 ? queue.nextDueAt : undefined }
}
