import type { KeyIdentity, LeftOutNote } from '@notewire/client'
import { isTombstone, type Note } from '@notewire/protocol'
import type { SyncContext } from '../context/sync-context.ts'
import { callHook } from '../interfaces/mirror-hooks.ts'
import type { NoteWrite } from '../interfaces/note-write.ts'
import type { MirrorProgress, PollProgress, ScanProgress } from '../interfaces/progress.ts'
import type { LoadedNotes, LoadedProgress } from '../interfaces/store.ts'
import { commitGroups } from '../ledger/commit-groups.ts'
import type { Decide } from '../ledger/ledger.ts'
import { applyRead, applyUnusable } from '../rules/read-rule.ts'
import { recordedKey, refuseOtherKey } from './key-guard.ts'
import { leaseOf, otherLeaseEnd } from './schedule.ts'

/** How long a poll with a note that cannot be identified is repeated. Daily scans list such notes as well. */
const REPEAT_FOR_MS = 24 * 60 * 60_000

/** Another process has written the progress of the listing. The page that this process has read is not applied. */
export class AnotherListerError extends Error {}

/**
 * Applies the pages of an integration's listings. At most one process lists at a time: it commits the notes of each page together with the
 * progress, and the commit fails if another process has written the progress since. A lease in the progress prevents other processes from
 * listing. It is not needed if the whole integration is leased to this process, as with `createMirrors`.
 */
export class Lister {
  readonly #context: SyncContext
  /** `undefined` if the whole integration is leased to this process. */
  readonly #holder: string | undefined
  /** The version of the progress that this lister has written. A commit fails if the stored version is another one. */
  #version: number
  #sequence: number
  /** When the last event arrived, as of the latest load; `null` before the first event. */
  #heardAt: number | null
  /** The time after the latest commit. The next request is sent later. */
  #requestedAt: number
  progress: MirrorProgress
  /** Whether `progress` is committed. */
  #isCommitted = true
  /** Whether the last page changed notes. */
  hasChangedNotes = false
  /** Whether more pages probably follow the latest page of the poll. */
  hasMore = true

  private constructor(context: SyncContext, holder: string | undefined, loaded: LoadedProgress) {
    this.#context = context
    this.#holder = holder
    this.#version = loaded.progressVersion
    this.#sequence = loaded.sequence
    this.#heardAt = loaded.heardAt
    this.#requestedAt = context.clock.now()
    this.progress = loaded.progress
  }

  /**
   * Takes the lease for listing, and makes the lister; `undefined` while another process has the lease, or if another process has written the
   * progress since it was loaded.
   *
   * @param holder  `undefined` if the whole integration is leased to this process
   * @throws KeyChangedError when the notes were listed with another key
   */
  static async begin(
    context: SyncContext,
    key: KeyIdentity,
    holder: string | undefined,
    loaded: LoadedProgress,
  ): Promise<Lister | undefined> {
    const lister = new Lister(context, holder, loaded)
    if (holder === undefined) return lister
    // A later replacement of the key changes the version of the progress.
    refuseOtherKey(context.integration, recordedKey(loaded.progress), key)
    if (otherLeaseEnd(loaded.progress.lister, holder, context.clock.now()) !== undefined) return undefined
    return (await lister.#replace({ ...loaded.progress, lister: lister.#lease() })) ? lister : undefined
  }

  /** The sequence number to record as the start of the next request. */
  get sequence(): number {
    return this.#sequence
  }

  /**
   * Commits progress without a page. Renews the lease.
   *
   * @param next  gets a new sequence number, to record as the start of the requests that follow
   */
  async advance(next: (startedAt: number) => Partial<MirrorProgress>): Promise<void> {
    await this.#write(({ sequence }) => ({ ...this.progress, ...next(sequence) }))
  }

  /** @throws AnotherListerError if another process has written the progress since */
  async renewLease(): Promise<void> {
    await this.advance(() => ({}))
  }

  /**
   * Ends a poll. Call it after the poll's last page was applied, or if that page is empty. The next commit writes the end of the poll: a commit of
   * the scan that follows, or `end`.
   */
  endPoll(checkpoint: string | null, watermark: number | null): void {
    const polledAt = this.#context.clock.now()
    const { poll } = this.progress
    const heardAt = this.#heardAt
    const counted = { heardAt, unannounced: heardAt === poll.heardAt ? poll.unannounced : 0 }
    const ended = { isUnderWay: false, polledAt, backfilledAt: poll.backfilledAt ?? polledAt }
    const next = { ...poll, ...counted, ...ended, ...positionAfter(poll, polledAt, { checkpoint, watermark }) }
    this.progress = { ...this.progress, poll: next }
    this.#isCommitted = false
  }

  /**
   * Applies a page. The checkpoint or the cursor advances in the commit of the page's last notes, so an interrupted page is listed again. The
   * notes of a poll, which are mostly edits, are divided as the store asks. A note that the client left out exists, and is read by itself.
   */
  async applyPage(page: AppliedPage): Promise<void> {
    const notes = latestById(page.notes)
    const { store, keep, clock, hooks } = this.#context
    for (const { note_id: noteId, error } of page.leftOut) callHook(hooks.onProblem, { error, noteId })
    const source = page.phase === 'confirming' ? 'scan' : page.phase
    const scanBeganAt = source === 'scan' ? this.progress.scan?.beganAt : undefined
    const request = { start: this.#sequence, source, requestedAt: this.#requestedAt, scanBeganAt }
    const leftOut = new Set(page.leftOut.flatMap(({ note_id = [] }) => note_id))
    const unusable = [...leftOut].filter((noteId) => !notes.has(noteId))
    const listed: ListedRecord[] = [...notes.values(), ...unusable.map((note_id) => ({ note_id }))]
    const groups = commitGroups(listed, page.phase === 'poll' ? store.mostEditsPerCommit : undefined)
    let hasChangedNotes = false
    for (const group of groups) {
      const isLast = group === groups.at(-1)
      await this.#write(
        (before, writes) =>
          progressAfterPage(this.progress, page, countsOf(group, before, writes, this.progress), isLast),
        group.map(({ note_id }) => note_id),
        (state, end) => {
          const note = notes.get(state.noteId)
          const stamp = { ...request, end, at: clock.now() }
          return note === undefined ? applyUnusable(state, stamp) : applyRead(state, note, stamp, { keep })
        },
      )
      hasChangedNotes ||= this.hasChangedNotes
    }
    this.hasChangedNotes = hasChangedNotes
  }

  /** Commits the end of the poll, and releases the lease of the lister. */
  async end(): Promise<void> {
    if (this.#holder === undefined && this.#isCommitted) return
    if (!(await this.#replace({ ...this.progress, lister: null }))) throw new AnotherListerError()
  }

  /** @returns `false` if another process has written the progress since */
  async #replace(progress: MirrorProgress): Promise<boolean> {
    const isWritten = await this.#context.ledger.advanceKnown(this.#version, progress)
    if (isWritten) this.#advanceTo(progress)
    return isWritten
  }

  #advanceTo(progress: MirrorProgress): void {
    this.progress = progress
    this.#version += 1
    this.#isCommitted = true
  }

  async #write(
    nextProgress: (before: LoadedNotes, writes: readonly NoteWrite[]) => MirrorProgress,
    noteIds: readonly string[] = [],
    decide?: Decide,
  ): Promise<void> {
    const { ledger, clock } = this.#context
    const fenced = (before: LoadedNotes, writes: readonly NoteWrite[]) => {
      if (before.progressVersion !== this.#version) throw new AnotherListerError()
      this.hasChangedNotes = writes.length > 0
      return { ...nextProgress(before, writes), lister: this.#lease() }
    }
    const { before, progress } = await ledger.advance(fenced, noteIds, decide)
    this.#advanceTo(progress)
    this.#sequence = before.sequence
    this.#heardAt = before.heardAt
    // The next request is sent after this time.
    this.#requestedAt = clock.now()
  }

  #lease(): MirrorProgress['lister'] {
    return this.#holder === undefined ? null : leaseOf(this.#holder, this.#context.clock.now())
  }
}

function countsOf(
  listed: readonly ListedRecord[],
  before: LoadedNotes,
  writes: readonly NoteWrite[],
  { scan }: MirrorProgress,
): PageCounts {
  const live = listed.filter((note) => !('revision' in note && isTombstone(note))).map(({ note_id }) => note_id)
  const stateOf = (noteId: string) => before.notes.get(noteId)?.state
  const wasLive = (noteId: string) => {
    const state = stateOf(noteId)
    return scan !== null && state?.presence === 'live' && (state.evidence?.start ?? 0) < scan.startedAt
  }
  const isUnannounced = ({ state: { noteId }, announce }: NoteWrite) =>
    announce !== undefined &&
    (stateOf(noteId)?.dirty ?? null) === null &&
    (stateOf(noteId)?.hintedRevision ?? null) === null
  return {
    live: live.length,
    alreadyLive: live.filter(wasLive).length,
    unannounced: writes.filter(isUnannounced).length,
    heardAt: before.heardAt,
  }
}

/** A page may contain a note twice, if the note changed while the service created the page. */
function latestById(listed: readonly Note[]): ReadonlyMap<string, Note> {
  const notes = new Map<string, Note>()
  for (const note of listed) {
    const known = notes.get(note.note_id)
    if (known === undefined || known.revision <= note.revision) notes.set(note.note_id, note)
  }
  return notes
}

/** The record of a listed note, or only the identifier if the record cannot be used. */
type ListedRecord = Note | Pick<Note, 'note_id'>

/** A page of a listing, and the checkpoint or cursor of the next page. */
type AppliedPage = { readonly notes: readonly Note[]; readonly leftOut: readonly LeftOutNote[] } & (
  | { readonly phase: 'backfill' | 'poll'; readonly checkpoint: string }
  | { readonly phase: 'scan' | 'confirming'; readonly cursor: string | null }
)

interface PageCounts {
  /** How many live notes the page contains. */
  readonly live: number
  /** How many of the live notes were already live in the mirror when the scan began. */
  readonly alreadyLive: number
  /** How many notes changed with this page although the mirror had no pending hint for them. */
  readonly unannounced: number
  /** When the last event arrived. */
  readonly heardAt: number | null
}

/**
 * The progress after a page, or after some of its notes.
 *
 * @param isWhole  whether all notes of the page are applied
 */
function progressAfterPage(
  progress: MirrorProgress,
  page: AppliedPage,
  counts: PageCounts,
  isWhole: boolean,
): MirrorProgress {
  switch (page.phase) {
    case 'backfill':
    case 'poll':
      return { ...progress, poll: pollAfterPage(progress.poll, page, counts, isWhole) }
    case 'scan': {
      const scan = requireScan(progress)
      const { cursor } = page
      const unidentified = countUnidentified(scan, page, isWhole)
      const counted = { seen: scan.seen + counts.live, kept: scan.kept + counts.alreadyLive, unidentified }
      return { ...progress, scan: { ...scan, ...counted, cursor, phase: cursor === null ? 'listed' : 'listing' } }
    }
    case 'confirming': {
      const scan = requireScan(progress)
      const { cursor } = page
      const confirmation = scan.confirmation && { ...scan.confirmation, cursor, isComplete: cursor === null }
      return { ...progress, scan: { ...scan, confirmation, unidentified: countUnidentified(scan, page, isWhole) } }
    }
  }
}

function pollAfterPage(
  poll: PollProgress,
  page: AppliedPage & { readonly phase: 'backfill' | 'poll' },
  { heardAt, unannounced }: PageCounts,
  isWhole: boolean,
): PollProgress {
  const before = heardAt === poll.heardAt ? poll.unannounced : 0
  const counted = { heardAt, unannounced: before + (page.phase === 'poll' ? unannounced : 0) }
  const checkpoint = isWhole ? page.checkpoint : poll.checkpoint
  const beganFrom = poll.isUnderWay ? poll.beganFrom : poll.checkpoint
  const isRepeated = poll.isRepeated || (page.phase === 'poll' && hasUnidentified(page))
  return { ...poll, ...counted, checkpoint, beganFrom, isRepeated, isUnderWay: true }
}

/** Where the next poll begins: where this one began if it must be repeated, or after its last page. */
function positionAfter(
  { beganFrom = null, isRepeated, repeatingSince, watermark }: PollProgress,
  now: number,
  end: Pick<PollProgress, 'checkpoint' | 'watermark'>,
): Partial<PollProgress> {
  const since = repeatingSince ?? now
  const over = { beganFrom: undefined, isRepeated: undefined }
  if (isRepeated && now - since < REPEAT_FOR_MS)
    return { ...over, checkpoint: beganFrom, watermark, repeatingSince: since }
  return { ...over, ...end, repeatingSince: undefined }
}

function hasUnidentified({ leftOut }: AppliedPage): boolean {
  return leftOut.some(({ note_id }) => note_id === undefined)
}

function countUnidentified(
  { unidentified }: ScanProgress,
  { leftOut }: AppliedPage,
  isWhole: boolean,
): number | undefined {
  const onPage = isWhole ? leftOut.filter(({ note_id }) => note_id === undefined).length : 0
  return onPage === 0 ? unidentified : (unidentified ?? 0) + onPage
}

/** Returns the running scan. Throws if none is running. */
export function requireScan({ scan }: MirrorProgress): ScanProgress {
  if (scan === null) throw new Error('no scan is under way')
  return scan
}
