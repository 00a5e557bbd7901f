import type { LeftOutNote } from '@notewire/client'
import { NoteRefusedError } from '../errors.ts'
import type { SyncContext } from '../fetching/sync.ts'
import type { ProgressNotice } from '../hooks.ts'
import type { ListingTrack, MirrorProgress } from '../integrations/progress.ts'
import type { NoteState } from '../notes/note-state.ts'
import type { ReadStamp } from '../rules/evidence.ts'
import { type AppliedPage, countPart, NO_COUNTS, type PageCounts, progressAfterPage } from '../rules/listing-rule.ts'
import { applyRead, applyUnusable } from '../rules/read-rule.ts'
import type { LoadedProgress } from '../stores/mirror-store.ts'
import { withAcceptedKey } from './key-guard.ts'
import { halvesOf, partsOf, withoutIds } from './page-parts.ts'

export interface ListedPage {
  readonly notice: Omit<ProgressNotice, 'integration'>
  /** Whether the page has changed notes, so that notes may be due. */
  readonly hasChangedNotes: boolean
  /** Whether this is the last page of a poll. */
  readonly isLast?: boolean
  readonly track?: ListingTrack | undefined
}

/**
 * Writes the pages and the progress of an integration's listings, under the lease of the integration: it commits the notes of each page together
 * with the progress, and the commit fails if another worker has taken the integration since.
 */
export class Lister {
  readonly #context: SyncContext
  /** The copy after the latest commit of this lister. */
  #copy: LoadedProgress
  /** When that commit was made. The next request is sent later. */
  #committedAt: number

  /** @param copy  the copy, as it was read under the lease */
  constructor(context: SyncContext, copy: LoadedProgress) {
    this.#context = context
    this.#copy = copy
    this.#committedAt = context.clock.now()
  }

  /** The progress that this lister has written. */
  get progress(): MirrorProgress {
    return this.#copy.progress
  }

  /** The sequence number to record as the start of the next request. */
  get sequence(): number {
    return this.#copy.sequence
  }

  /** When the last event had arrived, as of the latest commit; `null` before the first event. */
  get heardAt(): number | null {
    return this.#copy.heardAt
  }

  /**
   * Commits progress without a page.
   *
   * @param changes  gets a new sequence number, to record as the start of the requests that follow
   * @throws LeaseLostError if another worker has taken the integration
   */
  async advance(changes: (startSequence: number) => Partial<MirrorProgress>): Promise<void> {
    const next = ({ sequence }: LoadedProgress) => ({ ...this.progress, ...changes(sequence) })
    await this.#write({ noteIds: [], decide: () => undefined, next })
  }

  /**
   * Applies a page. The checkpoint or the cursor advances in the commit of the page's last notes, so an interrupted page is listed again. The
   * notes of a poll, which are mostly edits, are divided as the store asks. A note that the client left out exists, and is read by itself, and so is
   * a note whose record the store refuses.
   *
   * @returns whether notes have changed
   * @throws LeaseLostError if another worker has taken the integration
   */
  async applyPage(page: UnappliedPage): Promise<boolean> {
    const { store, hooks } = this.#context
    // Notes after the first hundred share an error.
    const leftOut: readonly LeftOutNote[] = page.leftOut
    const problems = new Map(leftOut.map(({ note_id, error }) => [error, note_id]))
    for (const [error, noteId] of problems) hooks.onProblem({ error, noteId })
    const { phase: source } = page
    const fullListing = page.phase === 'full-listing' ? (page.restarted ?? this.progress.fullListing) : undefined
    const fullListingBeganAt = fullListing?.beganAt
    const request = { start: this.sequence, source, requestedAt: this.#committedAt, fullListingBeganAt } as const
    const maxNotes = page.phase === 'poll' ? store.mostEditsPerCommit : MAX_NOTES_PER_COMMIT
    let applied: AppliedPart = { ...NO_COUNTS, hasChangedNotes: false }
    for (const part of partsOf(page, maxNotes)) applied = await this.#applyUnlessRefused(part, request, applied)
    return applied.hasChangedNotes
  }

  /** Writes the progress with which the listing ends. */
  async end(progress: MirrorProgress): Promise<void> {
    if (progress === this.progress) return
    await this.#context.ledger.writeProgress(progress)
    this.#copy = { ...this.#copy, progress }
  }

  /**
   * Applies a part. If the store refuses it, divides it until the refused note is alone, and leaves that note out.
   *
   * @param before  what the earlier parts of the page have changed
   */
  async #applyUnlessRefused(page: AppliedPage, request: PageRequest, before: AppliedPart): Promise<AppliedPart> {
    try {
      return await this.#applyPart(page, request, before)
    } catch (error) {
      if (!(error instanceof NoteRefusedError)) throw error
      const [first, second] = halvesOf(page)
      if (second !== undefined) {
        return await this.#applyUnlessRefused(second, request, await this.#applyUnlessRefused(first, request, before))
      }
      const [note] = page.notes
      if (note === undefined) return await this.#applyPart(withoutIds(page), request, before)
      this.#context.hooks.onProblem({ error, noteId: note.note_id })
      const unusable = { note_id: note.note_id }
      return await this.#applyUnlessRefused(
        { ...page, notes: [], leftOut: [...page.leftOut, unusable] },
        request,
        before,
      )
    }
  }

  async #applyPart(page: AppliedPage, request: PageRequest, earlier: AppliedPart): Promise<AppliedPart> {
    const { keep, clock } = this.#context
    const notes = new Map(page.notes.map((note) => [note.note_id, note]))
    const unusable = page.leftOut.flatMap(({ note_id = [] }) => note_id)
    const decide = (state: NoteState, end: number) => {
      const note = notes.get(state.noteId)
      const stamp = { ...request, end, at: clock.now() }
      return note === undefined ? applyUnusable(state, stamp) : applyRead(state, note, stamp, { keep })
    }
    let counts: PageCounts = earlier
    const hasChangedNotes = await this.#write({
      noteIds: [...new Set([...notes.keys(), ...unusable])],
      decide,
      next: (before, writes) => {
        counts = countPart(page, before, writes, this.progress, earlier)
        return withAcceptedKey(progressAfterPage(this.progress, page, before, writes, counts), this.#context)
      },
    })
    return { ...counts, hasChangedNotes: hasChangedNotes || earlier.hasChangedNotes }
  }

  async #write(change: Parameters<SyncContext['ledger']['writePage']>[0]): Promise<boolean> {
    const { ledger, clock } = this.#context
    const written = await ledger.writePage(change)
    this.#copy = written.copy
    this.#committedAt = clock.now()
    return written.writes.size > 0
  }
}

/** The maximum number of notes of a page in one commit: some services list all notes on one page. */
const MAX_NOTES_PER_COMMIT = 500

/** A page as the client returned it. */
export type UnappliedPage = AppliedPage & { readonly leftOut: readonly LeftOutNote[] }

/** What the parts of a page that were applied so far have changed. */
interface AppliedPart extends PageCounts {
  readonly hasChangedNotes: boolean
}

type PageRequest = Omit<ReadStamp, 'end' | 'at'>
