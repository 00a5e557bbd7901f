import { atMost, coalesce } from '../concurrency/calls.ts'
import { Wakeup } from '../concurrency/wakeup.ts'
import { commitGroups } from '../ledger/ledger.ts'
import type { NoteState } from '../notes/note-state.ts'
import { postpone } from '../rules/backoff.ts'
import { failsForEveryNote } from '../service/failures.ts'
import { requestListing } from '../service/full-listing.ts'
import type { DueQueue, HandedOutNote } from './due-queue.ts'
import { type ReadContent, refresh } from './refresher.ts'
import type { SyncContext, SyncReport } from './sync.ts'

/** After this many failed notes in a row, a listing is requested: it fails if the service is down. */
const FAILURES_BEFORE_LISTING = 5

/** How long content waits for the content of other notes, to be written in one commit with it, in milliseconds. */
const MAX_WAIT_MS = 50

/**
 * Reads the notes of the queue, up to `concurrency` at a time, until no note is due and the queue is closed. If the service cannot read single
 * notes, all notes that the queue has read are read at a time, because one listing contains them all.
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
    while (await readNext()) await erasure.runIfDue()
  }

  /** Reads a note. Its content may still wait to be written. @returns whether a note was due */
  async function readNext(): Promise<boolean> {
    // While no note is due, no other content arrives soon.
    const next = await queue.take(() => writeNow.wake())
    if (next === undefined) return false
    const others = client.notes.readsFromList ? queue.takeAll() : []
    await Promise.all([next, ...others].map(readAndWrite))
    if (unwritten.size >= 2 * writtenTogether) await Promise.race(unwritten)
    return true
  }

  /** Resolves when the note is read. It is done when it is written. An error that is not of this note stops the work. */
  async function readAndWrite(handedOut: HandedOutNote): Promise<void> {
    const content = await attempt(handedOut).catch(stop)
    if (content === undefined) return queue.done(handedOut)
    const writing = write(content)
      .catch(stop)
      .finally(() => {
        unwritten.delete(writing)
        queue.done(handedOut)
      })
    unwritten.add(writing)
    waiting += 1
    if (waiting >= writtenTogether) writeNow.wake()
  }

  /** @returns the content, if it was read and is not written yet */
  async function attempt(handedOut: HandedOutNote): Promise<ReadContent | undefined> {
    try {
      const content = await refresh(handedOut, context, limitContent)
      failuresInARow = 0
      if (content === undefined) countSettled()
      return content
    } catch (error) {
      await postponeFailed(handedOut.note.state, error)
      return undefined
    }
  }

  async function writeAll(contents: readonly ReadContent[]): Promise<void> {
    waiting -= contents.length
    const maxSize = contents.some(isEdited) ? store.mostEditsPerCommit : undefined
    for (const group of commitGroups(contents, maxSize)) await writeInOneCommit(group).catch(() => writeEach(group))
  }

  async function writeInOneCommit(contents: readonly ReadContent[]): Promise<void> {
    const contentOf = new Map(contents.map((content) => [content.known.state.noteId, content]))
    const known = contents.map((content) => content.known)
    await ledger.reviseKnown(known, (state) => contentOf.get(state.noteId)?.decide(state))
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
    if (signal.aborted) return
    hooks.onProblem({ error, noteId, isRepeated: failures > 0 })
    postponed += 1
    failuresInARow += 1
    if (failsForEveryNote(error)) stop(error)
    else if (failuresInARow % FAILURES_BEFORE_LISTING === 0) await requestListing(client, signal).catch(stop)
    await ledger.revise([noteId], (state) => postpone(state, clock.now()))
  }

  await Promise.all(Array.from({ length: concurrency }, () => work().catch(stop)))
  writeNow.wake()
  await Promise.all(unwritten)
  signal.throwIfAborted()
  return { settled, postponed }
}

function isEdited({ known: { state } }: ReadContent): boolean {
  const { transcriptOutcome, summaryOutcome } = state
  return transcriptOutcome !== null || summaryOutcome !== null
}
