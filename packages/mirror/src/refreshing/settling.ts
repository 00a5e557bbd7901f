import { atMost, coalesce } from '../concurrency/calls.ts'
import { Wakeup } from '../concurrency/wakeup.ts'
import type { SyncContext, SyncReport } from '../context/sync.ts'
import type { NoteState } from '../interfaces/note-state.ts'
import { commitGroups } from '../ledger/ledger.ts'
import { postpone } from '../rules/backoff.ts'
import { failsForEveryNote } from '../service/failures.ts'
import { requestListing } from '../service/full-listing.ts'
import type { DueQueue, TakenNote } from './due-queue.ts'
import { type ReadContent, refresh } from './refresher.ts'

/** After this many failed notes in a row, a listing is requested: it fails if the service is down. */
const FAILURES_BEFORE_LISTING = 5

/** How long content waits for the content of other notes, to be written in one commit with it, in milliseconds. */
const MAX_WAIT_MS = 50

/**
 * Reads the notes of the queue, up to `concurrency` at a time, until no note is due and the queue is closed. If the service cannot read single
 * notes, all notes that the queue has taken are read at a time, because one listing contains them all.
 *
 * @throws errors that would affect every other request: a refused key, a service that is down; errors of the store; the reason of the signal
 */
export async function settleDue(
  context: SyncContext,
  queue: DueQueue,
): Promise<Pick<SyncReport, 'settled' | 'postponed'>> {
  const { client, clock, concurrency, erasure, hooks, ledger, signal, stop, store } = context
  let settled = 0
  let postponed = 0
  let failuresInARow = 0
  /** Wakes when the content that waits is to be written now. */
  const writeNow = new Wakeup()
  // Content that arrives while a commit runs is written by the next one.
  const write = coalesce<ReadContent, void>(writeAll, () => writeNow.nextWithin(MAX_WAIT_MS, clock, signal))
  const writtenTogether = 2 * concurrency
  /** Content that waits, or that a commit is writing. */
  const unwritten = new Set<Promise<void>>()
  /** How much content waits for the next commit. */
  let waiting = 0
  const limitContent = atMost(concurrency)

  async function work(): Promise<void> {
    while ((await readNext()) || (await writeRest())) await erasure.runIfDue()
  }

  /** Reads a note. Its content may still wait to be written. @returns whether a note was due */
  async function readNext(): Promise<boolean> {
    // While no note is due, no other content arrives soon.
    const taken = await queue.take(() => writeNow.wake())
    if (taken === undefined) return false
    const others = client.notes.readsFromList ? queue.drain() : []
    await Promise.all([taken, ...others].map(readAndWrite))
    queue.done()
    if (unwritten.size >= 2 * writtenTogether) await Promise.race(unwritten)
    return true
  }

  /** Waits until all content is written. @returns whether there was any: then its note may be due again */
  async function writeRest(): Promise<boolean> {
    const isAnyUnwritten = unwritten.size > 0
    writeNow.wake()
    await Promise.all(unwritten)
    return isAnyUnwritten
  }

  /** Resolves when the note is read. An error that is not of this note stops the round. */
  async function readAndWrite(taken: TakenNote): Promise<void> {
    try {
      const content = await attempt(taken)
      if (content === undefined) return queue.recheck()
      const writing = write(content)
        .catch(stop)
        .finally(() => {
          unwritten.delete(writing)
          queue.recheck()
        })
      unwritten.add(writing)
      waiting += 1
      if (waiting >= writtenTogether) writeNow.wake()
    } catch (error) {
      stop(error)
    }
  }

  /** @returns the content, if it was read and is not written yet */
  async function attempt({ note, startSequence }: TakenNote): Promise<ReadContent | undefined> {
    try {
      const content = await refresh(note, startSequence, context, limitContent)
      failuresInARow = 0
      if (content === undefined) countSettled()
      return content
    } catch (error) {
      await postponeFailed(note.state, error)
      return undefined
    }
  }

  async function writeAll(contents: readonly ReadContent[]): Promise<void> {
    waiting -= contents.length
    const maxSize = contents.some(isEdited) ? store.mostEditsPerCommit : undefined
    for (const group of commitGroups(contents, maxSize)) await writeInOneCommit(group).catch(() => writeEach(group))
  }

  async function writeInOneCommit(contents: readonly ReadContent[]): Promise<void> {
    // Two workers may have read the same note, before and after an event.
    const readsOf = Map.groupBy(contents, ({ known }) => known.state.noteId)
    const notes = new Map(contents.map(({ known }) => [known.state.noteId, known]))
    await ledger.reviseKnown([...notes.values()], (state) => {
      const decisions = readsOf.get(state.noteId)?.flatMap(({ decide }) => decide(state) ?? []) ?? []
      return decisions.find(({ content }) => content !== undefined) ?? decisions[0]
    })
    for (const _ of contents) countSettled()
  }

  /** Writes each note in its own commit, because the store may reject one of them. */
  async function writeEach(contents: readonly ReadContent[]): Promise<void> {
    for (const content of contents) {
      await writeInOneCommit([content]).catch((error) => postponeFailed(content.known.state, error))
    }
  }

  function countSettled(): void {
    settled += 1
    hooks.onProgress({ phase: 'content', done: settled })
  }

  async function postponeFailed({ noteId, failures }: NoteState, error: unknown): Promise<void> {
    if (signal.aborted) return await release([noteId])
    hooks.onProblem({ error, noteId, isRepeated: failures > 0 })
    postponed += 1
    failuresInARow += 1
    if (failsForEveryNote(error)) stop(error)
    else if (failuresInARow % FAILURES_BEFORE_LISTING === 0) await requestListing(client, signal).catch(stop)
    await ledger.revise([noteId], (state) => postpone(state, clock.now()))
  }

  /** Ends the leases of taken notes whose content was not written. */
  async function release(noteIds: readonly string[]): Promise<void> {
    const now = clock.now()
    await ledger.revise(noteIds, (state) => ({ state: { ...state, dueAt: state.dueAt === null ? null : now } }))
  }

  await Promise.all(Array.from({ length: concurrency }, () => work().catch(stop)))
  await Promise.all(unwritten)
  const left = queue.drain()
  if (left.length > 0) {
    await release(left.map(({ note }) => note.state.noteId))
    queue.recheck()
  }
  signal.throwIfAborted()
  return { settled, postponed }
}

function isEdited({ known: { state } }: ReadContent): boolean {
  const { transcriptHeld, summaryHeld } = state
  return transcriptHeld !== null || summaryHeld !== null
}
