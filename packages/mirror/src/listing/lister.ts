import type { KeyIdentity } from '@notewire/client'
import { isTombstone, type Note } from '@notewire/protocol'
import type { SyncContext } from '../context/sync-context.ts'
import type { NoteWrite } from '../interfaces/note-write.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedNotes, LoadedProgress } from '../interfaces/store.ts'
import type { Decide } from '../ledger/ledger.ts'
import { applyRead } from '../rules/read-rule.ts'
import { recordedKey, refuseOtherKey } from './key-guard.ts'
import { type ListedPage, type PageCounts, progressAfterPage } from './progress-after-page.ts'
import { leaseOf, otherLeaseEnd } from './schedule.ts'

/** Another process lists now: the page that this process has read is not applied. */
export class AnotherListerError extends Error {}

/**
 * The one process that lists for an integration. It commits the notes of each page together with the progress, if the version of the
 * progress is the one that it wrote last: of two listers, one cannot go on.
 */
export class Lister {
  readonly #context: SyncContext
  readonly #holder: string
  #version: number
  #sequence: number
  #begunAt: number
  progress: MirrorProgress

  private constructor(context: SyncContext, holder: string, loaded: LoadedProgress) {
    this.#context = context
    this.#holder = holder
    this.#version = loaded.progressVersion
    this.#sequence = loaded.sequence
    this.#begunAt = context.clock.now()
    this.progress = loaded.progress
  }

  /**
   * Becomes the lister; `undefined` while another process is.
   *
   * @throws KeyChangedError when the notes were listed with another key
   */
  static async begin(context: SyncContext, key: KeyIdentity, holder: string): Promise<Lister | undefined> {
    const { store, integration, clock } = context
    const loaded = await store.readProgress(integration)
    // The key may have been replaced since it was checked. Later, the version of the progress tells.
    refuseOtherKey(integration, recordedKey(loaded.progress), key)
    if (otherLeaseEnd(loaded.progress.lister, holder, clock.now()) !== undefined) return undefined
    const lister = new Lister(context, holder, loaded)
    try {
      await lister.advance({})
      return lister
    } catch (error) {
      if (error instanceof AnotherListerError) return undefined
      throw error
    }
  }

  /** The sequence number that dates the next request. */
  get sequence(): number {
    return this.#sequence
  }

  /** Writes progress without a page. */
  async advance(progress: Partial<MirrorProgress>): Promise<void> {
    await this.#write(() => ({ ...this.progress, ...progress }))
  }

  /** Applies a page, and writes the progress after it in the same commit. */
  async applyPage(page: ListedPage): Promise<void> {
    const notes = latestById(page.notes)
    const { keep, clock } = this.#context
    const source = page.phase === 'confirming' ? 'scan' : page.phase
    const scanBeganAt = source === 'scan' ? this.progress.scan?.beganAt : undefined
    const asked = { start: this.#sequence, source, begunAt: this.#begunAt, scanBeganAt }
    await this.#write(
      (before, writes) => progressAfterPage(this.progress, page, countsOf(notes, before, writes, this.progress)),
      [...notes.keys()],
      (state, end) => applyRead(state, notes.get(state.noteId), { ...asked, end, at: clock.now() }, { keep }),
    )
  }

  /** Lets other processes list. */
  async end(): Promise<void> {
    await this.#write(() => this.progress, [], undefined, null)
  }

  async #write(
    nextProgress: (before: LoadedNotes, writes: readonly NoteWrite[]) => MirrorProgress,
    noteIds: readonly string[] = [],
    decide?: Decide,
    lister: MirrorProgress['lister'] = leaseOf(this.#holder, this.#context.clock.now()),
  ): Promise<void> {
    const { ledger, clock } = this.#context
    const fenced = (before: LoadedNotes, writes: readonly NoteWrite[]) => {
      if (before.progressVersion !== this.#version) throw new AnotherListerError()
      return { ...nextProgress(before, writes), lister }
    }
    const { before, progress } = await ledger.advance(fenced, noteIds, decide)
    this.progress = progress
    this.#version += 1
    this.#sequence = before.sequence
    // Before the next request leaves.
    this.#begunAt = clock.now()
  }
}

function countsOf(
  listed: ReadonlyMap<string, Note>,
  before: LoadedNotes,
  writes: readonly NoteWrite[],
  { scan }: MirrorProgress,
): PageCounts {
  const live = [...listed.values()].filter((note) => !isTombstone(note)).map(({ note_id }) => note_id)
  const stateOf = (noteId: string) => before.notes.get(noteId)?.state
  const wasShown = (noteId: string) => {
    const state = stateOf(noteId)
    return scan !== null && state?.presence === 'live' && (state.evidence?.start ?? 0) < scan.startedAt
  }
  const isUnannounced = ({ state: { noteId }, announce }: NoteWrite) =>
    announce !== undefined &&
    (stateOf(noteId)?.dirty ?? null) === null &&
    (stateOf(noteId)?.hintedRevision ?? null) === null
  return {
    live: live.length,
    shownBefore: live.filter(wasShown).length,
    unannounced: writes.filter(isUnannounced).length,
    heardAt: before.heardAt,
  }
}

/** A page may hold a note twice, when it moved while the page was made. */
function latestById(listed: readonly Note[]): ReadonlyMap<string, Note> {
  const notes = new Map<string, Note>()
  for (const note of listed) {
    const known = notes.get(note.note_id)
    if (known === undefined || known.revision <= note.revision) notes.set(note.note_id, note)
  }
  return notes
}
