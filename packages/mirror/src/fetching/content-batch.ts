import { Wakeup } from '../concurrency/wakeup.ts'
import { commitGroups } from '../ledger/ledger.ts'
import type { DueQueue } from './due-queue.ts'
import type { FetchedContent } from './fetch-note.ts'
import type { Outcomes } from './outcomes.ts'
import type { SyncContext } from './sync.ts'

/** How long content waits for the content of other notes, to be written in one commit with it, in milliseconds. */
const MAX_WAIT_MS = 50

/**
 * Writes fetched content, in one commit with the content of other notes. Content that arrives during a commit is written by the next one. A note is
 * done when its content is written. An error that is not of one note stops the work.
 */
export class ContentBatch {
  readonly #context: SyncContext
  readonly #queue: DueQueue
  readonly #outcomes: Outcomes
  readonly #writeNow = new Wakeup()
  #waiting: FetchedContent[] = []
  /** How much content waits, or is being written. */
  #unwritten = 0
  /** Ends when everything that was added so far is written. */
  #written: Promise<void> = Promise.resolve()
  /** The commit that is running. */
  #commit: Promise<void> | undefined

  constructor(context: SyncContext, queue: DueQueue, outcomes: Outcomes) {
    this.#context = context
    this.#queue = queue
    this.#outcomes = outcomes
  }

  /** Adds content, which is written soon. */
  add(content: FetchedContent): void {
    this.#unwritten += 1
    this.#waiting.push(content)
    if (this.#waiting.length === 1) this.#written = this.#writeNext(this.#written)
    if (this.#waiting.length >= this.#size) this.flush()
  }

  /** Has what waits written now, without waiting for more. */
  flush(): void {
    this.#writeNow.wake()
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    if (this.#unwritten >= 2 * this.#size) await (this.#commit ?? this.#written)
  }

  /** Writes everything. */
  async end(): Promise<void> {
    this.flush()
    await this.#written
  }

  /** How much content is written in one commit. */
  get #size(): number {
    return 2 * this.#context.concurrency
  }

  async #writeNext(previous: Promise<void>): Promise<void> {
    const { clock, signal, stop } = this.#context
    await Promise.all([previous, this.#writeNow.nextWithin(MAX_WAIT_MS, clock, signal)])
    const contents = this.#waiting
    this.#waiting = []
    this.#commit = this.#writeAll(contents).catch(stop)
    await this.#commit
    this.#commit = undefined
    this.#unwritten -= contents.length
    for (const { known } of contents) this.#queue.done(known.state.noteId)
  }

  async #writeAll(contents: readonly FetchedContent[]): Promise<void> {
    const maxSize = contents.some(isEdited) ? this.#context.store.mostEditsPerCommit : undefined
    for (const group of commitGroups(contents, maxSize)) {
      await this.#writeInOneCommit(group).catch(() => this.#writeEach(group))
    }
  }

  async #writeInOneCommit(contents: readonly FetchedContent[]): Promise<void> {
    const known = contents.map((content) => content.known)
    await this.#context.ledger.commitKnown({
      known,
      decide: ({ notes }) => ({
        notes: contents.flatMap((content) => {
          const { state } = notes.get(content.known.state.noteId) ?? {}
          return (state && content.decide(state)) ?? []
        }),
      }),
    })
    for (const _ of contents) this.#outcomes.settle()
  }

  /** Writes each note in its own commit, because the store may reject one of them. */
  async #writeEach(contents: readonly FetchedContent[]): Promise<void> {
    for (const content of contents) {
      await this.#writeInOneCommit([content]).catch((error) => this.#outcomes.postpone(content.known.state, error))
    }
  }
}

function isEdited({ known: { state } }: FetchedContent): boolean {
  const { transcriptOutcome, summaryOutcome } = state
  return transcriptOutcome !== null || summaryOutcome !== null
}
