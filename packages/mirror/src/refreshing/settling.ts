import type { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext } from '../context/sync-context.ts'
import type { SyncReport } from '../context/sync-options.ts'
import { callHook } from '../interfaces/mirror-hooks.ts'
import { postpone } from '../rules/backoff.ts'
import { FailureStreak, failsForEveryNote } from '../service/failures.ts'
import { DueQueue, type TakenNote } from './due-queue.ts'
import { refresh } from './refresher.ts'

/** How many notes were settled and postponed. */
export interface Settled extends Pick<SyncReport, 'settled' | 'postponed'> {
  /** When the next note is due, if that is known. */
  readonly nextDueAt: number | null | undefined
}

/**
 * Reads every note that is due, several at once, until none is and the listing has ended.
 *
 * @param pages  wakes after each page of a listing, and ends with the listing
 * @param isAnyDue  whether a note may be due before the first page
 * @throws what refuses all notes alike: a key that is not allowed to, a service that is down
 */
export async function settleDue(context: SyncContext, pages: Wakeup, isAnyDue = true): Promise<Settled> {
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
      await setAside(note.state.noteId, error)
    }
  }

  async function setAside(noteId: string, error: unknown): Promise<void> {
    if (signal.aborted) return await giveBack([noteId])
    callHook(hooks.onProblem, { error, noteId })
    postponed += 1
    if (failsForEveryNote(error)) stop(error)
    else await streak.recordFailure().catch(stop)
    await ledger.revise([noteId], (state) => postpone(state, clock.now()))
  }

  /** Makes notes due again that were taken and not read, so that no worker waits for the end of their lease. */
  async function giveBack(noteIds: readonly string[]): Promise<void> {
    const now = clock.now()
    await ledger.revise(noteIds, (state) => ({ state: { ...state, dueAt: state.dueAt === null ? null : now } }))
  }

  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, work))
  const rest = queue.rest()
  if (rest.length > 0) await giveBack(rest.map(({ note }) => note.state.noteId))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  signal.throwIfAborted()
  return { settled, postponed, nextDueAt: rest.length === 0 ? queue.nextDueAt : undefined }
}
