import { atMost } from '../concurrency/calls.ts'
import { ContentBatch } from './content-batch.ts'
import type { DueQueue, HandedOutNote } from './due-queue.ts'
import { type FetchedContent, fetchNote } from './fetch-note.ts'
import { Outcomes } from './outcomes.ts'
import type { SyncContext } from './sync.ts'

interface Fetching {
  readonly context: SyncContext
  readonly queue: DueQueue
  readonly outcomes: Outcomes
  readonly batch: ContentBatch
  /** Limits how many notes have their content fetched at a time. */
  readonly limitContent: ReturnType<typeof atMost>
}

/**
 * Fetches the notes of the queue, up to `concurrency` at a time, until no note is due and the queue is closed. If the service cannot read single
 * notes, all notes that the queue has read are fetched at a time, because one listing contains them all.
 *
 * @throws errors that would affect every other request: a refused key, a service that is down; errors of the store; the reason of the signal
 */
export async function fetchDueNotes(context: SyncContext, queue: DueQueue): Promise<Outcomes['counts']> {
  const { concurrency, signal, stop } = context
  const outcomes = new Outcomes(context)
  const batch = new ContentBatch(context, queue, outcomes)
  const fetching = { context, queue, outcomes, batch, limitContent: atMost(concurrency) }
  await Promise.all(Array.from({ length: concurrency }, () => fetchUntilNoneIsDue(fetching).catch(stop)))
  await batch.end()
  signal.throwIfAborted()
  return outcomes.counts
}

async function fetchUntilNoneIsDue(fetching: Fetching): Promise<void> {
  const { queue, batch, context } = fetching
  for (;;) {
    // While no note is due, no other content arrives soon.
    const next = await queue.take(() => batch.flush())
    if (next === undefined) return
    const others = context.client.notes.readsFromList ? queue.takeAll() : []
    await Promise.all([next, ...others].map((handedOut) => fetchOne(handedOut, fetching)))
    await batch.room()
    await context.erasure.runIfDue()
  }
}

/** Fetches a note. Its content may still wait to be written. An error that is not of this note stops the work. */
async function fetchOne(handedOut: HandedOutNote, fetching: Fetching): Promise<void> {
  const { context, queue, batch } = fetching
  const content = await attempt(handedOut, fetching).catch(context.stop)
  if (content === undefined) queue.done(handedOut.note.state.noteId)
  else batch.add(content)
}

/** @returns the content, if it was fetched and is not written yet */
async function attempt(
  handedOut: HandedOutNote,
  { context, outcomes, limitContent }: Fetching,
): Promise<FetchedContent | undefined> {
  try {
    const content = await fetchNote(handedOut, context, limitContent)
    outcomes.succeed()
    if (content === undefined) outcomes.settle()
    return content
  } catch (error) {
    await outcomes.postpone(handedOut.note.state, error)
    return undefined
  }
}
