import type { NotesClient } from '@notewire/client'
import type { Ledger } from '../ledger.ts'
import { type MirrorHooks, tell } from '../mirror-hooks.ts'
import { postpone } from '../rules/postponement.ts'
import type { MirrorStore } from '../stores/store.ts'
import { DueQueue, type TakenNote, type WorkToCome } from './due-queue.ts'
import { concernsAll, FailureStreak } from './failures.ts'
import type { ReadNote } from './note-reader.ts'
import { refresh } from './refresher.ts'

/** What due notes are settled with. */
export interface SettlingTools {
  readonly client: NotesClient
  readonly store: MirrorStore
  readonly scope: string
  readonly ledger: Ledger
  readonly hooks: MirrorHooks
  readonly concurrency: number
  readonly readNote: ReadNote
  readonly signal: AbortSignal
}

/** How it ended. */
export interface Settled {
  readonly settled: number
  readonly postponed: number
}

/**
 * Reads every note that is due, several at once, until none is and nothing more is to come.
 *
 * @throws what refuses all notes alike: a key that is not allowed to, a service that is down
 */
export async function settleDue(tools: SettlingTools, toCome: WorkToCome): Promise<Settled> {
  const { client, ledger, hooks, concurrency, signal } = tools
  const streak = new FailureStreak(client, signal)
  const queue = new DueQueue({ ...tools, clock: ledger.clock }, 4 * concurrency, toCome)
  let settled = 0
  let postponed = 0
  let stopped: { readonly by: unknown } | undefined

  async function work(): Promise<void> {
    while (stopped === undefined) {
      const taken = await queue.take()
      if (taken === undefined) return
      await attempt(taken)
    }
  }

  async function attempt({ note, start }: TakenNote): Promise<void> {
    try {
      signal.throwIfAborted()
      await refresh(note, start, tools)
      settled += 1
      streak.end()
      tell(hooks.onProgress, { phase: 'content', done: settled })
    } catch (error) {
      await setAside(note.state.noteId, error)
    }
  }

  async function setAside(noteId: string, error: unknown): Promise<void> {
    if (signal.aborted) {
      stop(signal.reason)
      return await giveBack([noteId])
    }
    tell(hooks.onProblem, { error, noteId })
    postponed += 1
    if (concernsAll(error)) stop(error)
    else await streak.lengthen().catch(stop)
    await ledger.revise([noteId], (state) => postpone(state, ledger.clock.now()))
  }

  function stop(reason: unknown): void {
    stopped ??= { by: reason }
    toCome.giveUp(reason)
  }

  /** Nobody need wait until what was taken in vain is due again. */
  async function giveBack(noteIds: readonly string[]): Promise<void> {
    const now = ledger.clock.now()
    await ledger.revise(noteIds, (state) => ({ state: { ...state, dueAt: state.dueAt === null ? null : now } }))
  }

  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, work))
  const rest = queue.rest()
  if (rest.length > 0) await giveBack(rest.map(({ note }) => note.state.noteId))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  if (stopped !== undefined) throw stopped.by
  return { settled, postponed }
}
