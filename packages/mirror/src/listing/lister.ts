import type { Note } from '@notewire/protocol'
import { leaseFrom } from '../concurrency/lease.ts'
import type { SyncContext } from '../context/sync.ts'
import { callHook, type ProgressNotice } from '../interfaces/mirror-hooks.ts'
import type { NoteState } from '../interfaces/note-state.ts'
import type { ListerLease, ListingTrack, MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedProgress } from '../interfaces/store.ts'
import { commitGroups } from '../ledger/ledger.ts'
import type { ReadStamp } from '../rules/evidence.ts'
import { type AppliedPage, countNew, progressAfterPage } from '../rules/listing-rule.ts'
import { applyRead, applyUnusable } from '../rules/read-rule.ts'
import { withAcceptedKey } from './key-guard.ts'
import { otherLeaseEnd } from './schedule.ts'

/** Another process has written the progress of the listing. The page that this process has read is not applied. */
export class AnotherListerError extends Error {}

export interface ListedPage {
  readonly notice: ProgressNotice
  /** Whether the page has changed notes, so that notes may be due. */
  readonly hasChangedNotes: boolean
  /** Whether this is the last page of a poll. */
  readonly isLast?: boolean
  readonly track?: ListingTrack | undefined
}

/**
 * Writes the pages and the progress of an integration's listings. At most one process lists at a time: it commits the notes of each page
 * together with the progress, and the commit fails if another process has written the progress since. A lease in the progress prevents
 * other processes from listing. It is not needed if the whole integration is leased to this process, as with `createMirrors`.
 */
export class Lister {
  readonly #context: SyncContext
  /** `undefined` if the whole integration is leased to this process. */
  readonly #holder: string | undefined
  /** The copy after the latest commit of this lister. */
  #copy: LoadedProgress
  /** When that commit was made. The next request is sent later. */
  #committedAt: number

  private constructor(context: SyncContext, holder: string | undefined, copy: LoadedProgress) {
    this.#context = context
    this.#holder = holder
    this.#copy = copy
    this.#committedAt = context.clock.now()
  }

  /**
   * Takes the lease for listing, and makes the lister; `undefined` while another process has the lease, or if another process has written the
   * progress since it was loaded.
   *
   * @param holder  `undefined` if the whole integration is leased to this process
   */
  static async begin(
    context: SyncContext,
    holder: string | undefined,
    copy: LoadedProgress,
  ): Promise<Lister | undefined> {
    const lister = new Lister(context, holder, copy)
    if (holder === undefined) return lister
    const isTaken = otherLeaseEnd(copy.progress.lister, holder, context.clock.now()) !== undefined
    return !isTaken && (await lister.#replace({ ...copy.progress, lister: lister.#lease() })) ? lister : undefined
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
   * Commits progress without a page. Renews the lease.
   *
   * @param changes  gets a new sequence number, to record as the start of the requests that follow
   * @throws AnotherListerError if another process has written the progress since
   */
  async advance(changes: (startSequence: number) => Partial<MirrorProgress>): Promise<void> {
    const next = ({ sequence }: LoadedProgress) => this.#leased({ ...this.progress, ...changes(sequence) })
    await this.#write({ noteIds: [], decide: () => undefined, next })
  }

  /** @throws AnotherListerError if another process has written the progress since */
  async renewLease(): Promise<void> {
    await this.advance(() => ({}))
  }

  /**
   * Applies a page. The checkpoint or the cursor advances in the commit of the page's last notes, so an interrupted page is listed again. The
   * notes of a poll, which are mostly edits, are divided as the store asks. A note that the client left out exists, and is read by itself.
   *
   * @returns whether notes have changed
   * @throws AnotherListerError if another process has written the progress since
   */
  async applyPage(page: AppliedPage): Promise<boolean> {
    const { store, hooks } = this.#context
    for (const { note_id: noteId, error } of page.leftOut) callHook(hooks.onProblem, { error, noteId })
    const { phase: source } = page
    const scan = page.phase === 'scan' ? (page.restarted ?? this.progress.scan) : undefined
    const scanBeganAt = scan?.beganAt
    const request = { start: this.sequence, source, requestedAt: this.#committedAt, scanBeganAt } as const
    const maxNotes = page.phase === 'poll' ? store.mostEditsPerCommit : undefined
    let hasChangedNotes = false
    let newNotes = 0
    for (const part of partsOf(page, maxNotes, this.progress.poll.checkpoint)) {
      const applied = await this.#applyPart(part, request, newNotes)
      if (applied.hasChangedNotes) hasChangedNotes = true
      newNotes = applied.newNotes
    }
    return hasChangedNotes
  }

  /** Writes the progress with which the listing ends, and releases the lease. */
  async end(progress: MirrorProgress): Promise<void> {
    if (this.#holder === undefined && progress === this.progress) return
    if (!(await this.#replace({ ...progress, lister: null }))) throw new AnotherListerError()
  }

  /** @param newBefore  the number of new notes in the earlier parts of the page */
  async #applyPart(
    page: AppliedPage,
    request: Omit<ReadStamp, 'end' | 'at'>,
    newBefore: number,
  ): Promise<{ readonly hasChangedNotes: boolean; readonly newNotes: number }> {
    const { keep, clock } = this.#context
    const notes = new Map(page.notes.map((note) => [note.note_id, note]))
    const unusable = page.leftOut.flatMap(({ note_id = [] }) => note_id)
    const decide = (state: NoteState, end: number) => {
      const note = notes.get(state.noteId)
      const stamp = { ...request, end, at: clock.now() }
      return note === undefined ? applyUnusable(state, stamp) : applyRead(state, note, stamp, { keep })
    }
    let newNotes = newBefore
    const hasChangedNotes = await this.#write({
      noteIds: [...new Set([...notes.keys(), ...unusable])],
      decide,
      next: (before, writes) => {
        newNotes = newBefore + countNew(page, before, this.progress)
        return this.#leased(
          withAcceptedKey(progressAfterPage(this.progress, page, before, writes, newNotes), this.#context),
        )
      },
    })
    return { hasChangedNotes, newNotes }
  }

  async #write(change: Omit<Parameters<SyncContext['ledger']['writePage']>[0], 'expectedVersion'>): Promise<boolean> {
    const { ledger, clock } = this.#context
    const written = await ledger.writePage({ ...change, expectedVersion: this.#copy.progressVersion })
    if (written === undefined) throw new AnotherListerError()
    this.#copy = written.copy
    this.#committedAt = clock.now()
    return written.writes.size > 0
  }

  /** @returns `false` if another process has written the progress since */
  async #replace(progress: MirrorProgress): Promise<boolean> {
    const { progressVersion } = this.#copy
    if (!(await this.#context.ledger.replace(progressVersion, progress))) return false
    this.#copy = { ...this.#copy, progress, progressVersion: progressVersion + 1 }
    return true
  }

  #leased(progress: MirrorProgress): MirrorProgress {
    return { ...progress, lister: this.#lease() }
  }

  #lease(): ListerLease | null {
    if (this.#holder === undefined) return null
    return { holder: this.#holder, until: leaseFrom(this.#context.clock.now()).until }
  }
}

/** Divides a page. All parts but the last have the checkpoint before the page. */
function partsOf(
  { notes: listed, ...page }: AppliedPage,
  maxNotes: number | undefined,
  checkpoint: string | null,
): readonly AppliedPage[] {
  const groups = commitGroups(latestById(listed), maxNotes)
  return groups.map((notes, index) =>
    index === groups.length - 1 || !('checkpoint' in page)
      ? { ...page, notes }
      : { ...page, notes, checkpoint, hasNext: false, leftOut: [] },
  )
}

/** A page may contain a note twice, if the note changed while the service created the page. */
function latestById(listed: readonly Note[]): readonly Note[] {
  const notes = new Map<string, Note>()
  for (const note of listed) {
    const known = notes.get(note.note_id)
    if (known === undefined || known.revision <= note.revision) notes.set(note.note_id, note)
  }
  return [...notes.values()]
}
