import { MirrorBusyError, NoteRefusedError } from '../errors.ts'
import type { Fence } from '../integrations/integration-store.ts'
import type { MirrorProgress } from '../integrations/progress.ts'
import type { NoteState } from '../notes/note-state.ts'
import type { NoteWrite } from '../notes/note-write.ts'
import type { Decision } from '../rules/evidence.ts'
import { absentNote, writeOf } from '../rules/written-parts.ts'
import type { LoadedNotes, LoadedProgress, MirrorCommit, MirrorStore, VersionedState } from '../stores/mirror-store.ts'
import { dataRefusalIn } from './data-refusal.ts'

/**
 * Returns what to write for a note, given its state; `undefined` to leave the note unchanged. `sequence` is a sequence number that the
 * store issued after the response or event had arrived, and `progress` that of the listings. Called again after a conflict.
 */
export type Decide = (state: NoteState, sequence: number, progress: MirrorProgress) => Decision | undefined

interface PageChange {
  readonly noteIds: readonly string[]
  readonly decide: Decide
  /** Returns the next progress, given the notes of the same commit. Called again after a conflict. */
  readonly next: (before: LoadedNotes, writes: readonly NoteWrite[]) => MirrorProgress
}

interface Change extends Partial<PageChange> {
  readonly heardAt?: number | undefined
}

interface LedgerSettings {
  readonly store: MirrorStore
  readonly integration: string
  readonly fence: LedgerFence
  readonly onAnnounced: () => void
}

/** The copy, and the lease, that every commit of a ledger is for. */
export interface LedgerFence extends Fence {
  /** The error if the store rejects a commit, because the integration was removed or taken by another worker. */
  readonly lost: () => Error
}

/** What was written in one commit. */
interface Written {
  readonly writes: ReadonlyMap<string, NoteWrite>
  /** The copy after the commit, with its latest sequence number. */
  readonly copy: LoadedProgress
}

/** The maximum number of attempts to commit. Each conflict means that another process has committed. */
const MAX_ATTEMPTS = 200

/**
 * Writes every change of a mirror's notes and progress. It loads the notes, decides what to write, and commits unless another process has
 * written one of them since. In that case it starts again. The progress is written under the lease of the integration only.
 */
export class Ledger {
  readonly #settings: LedgerSettings

  constructor(settings: LedgerSettings) {
    this.#settings = settings
  }

  /**
   * Revises notes in one commit.
   *
   * @param heardAt  when the event arrived, if an event causes the change, in milliseconds since the Unix epoch
   * @returns the written notes, by id
   * @throws MirrorBusyError when every attempt conflicted with other processes
   */
  async revise(noteIds: readonly string[], decide: Decide, heardAt?: number): Promise<ReadonlyMap<string, NoteWrite>> {
    return (await this.#write({ noteIds, decide, heardAt })).writes
  }

  /**
   * Revises notes that the caller has loaded or written, in one commit. It loads them again only if another process has written one of them
   * since.
   *
   * @throws MirrorBusyError when every attempt conflicted with other processes
   */
  async reviseKnown(
    notes: readonly VersionedState[],
    decide: (state: NoteState) => Decision | undefined,
  ): Promise<void> {
    const noteIds = notes.map(({ state }) => state.noteId)
    const isWritten = await namingRefusal(noteIds, async () => {
      const writes = notes.flatMap((known) => {
        const decision = decide(known.state)
        return decision === undefined ? [] : [writeOf(known, decision)]
      })
      return writes.length === 0 || (await this.#commit({ notes: writes }))
    })
    if (!isWritten) await this.revise(noteIds, decide)
  }

  /**
   * Writes the notes of a page and the progress of its listing in one commit, under the lease of the integration.
   *
   * @throws MirrorBusyError when every attempt conflicted with other processes
   * @throws NoteRefusedError if the store refuses the data of one of the notes, so that nothing was written
   */
  async writePage(page: PageChange): Promise<Written> {
    return await this.#write(page)
  }

  /** Replaces the progress: for decisions that need no notes and no sequence number. */
  async writeProgress(progress: MirrorProgress): Promise<void> {
    await this.#commit({ notes: [], progress })
  }

  #write(change: Change): Promise<Written> {
    return namingRefusal(change.noteIds ?? [], () => this.#writeUnlessRefused(change))
  }

  async #writeUnlessRefused(change: Change): Promise<Written> {
    let sequence: number | undefined
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const before = await this.#settings.store.load(this.#settings.integration, change.noteIds ?? [])
      sequence ??= before.sequence
      const outcome = await this.#attempt(change, before, sequence)
      if (outcome !== 'conflict') return outcome
    }
    throw new MirrorBusyError()
  }

  async #attempt(
    { noteIds = [], decide = () => undefined, next, heardAt }: Change,
    before: LoadedNotes,
    sequence: number,
  ): Promise<Written | 'conflict'> {
    const writes = decideAll(noteIds, before, decide, sequence)
    const notes = [...writes.values()]
    const progress = next?.(before, notes)
    if (notes.length === 0 && progress === undefined && heardAt === undefined) {
      return { writes, copy: before }
    }
    if (!(await this.#commit({ notes, progress, heardAt }))) return 'conflict'
    return { writes, copy: { ...before, ...(progress && { progress }) } }
  }

  /** @returns `false` if another process has written one of the rows since */
  async #commit(commit: Omit<MirrorCommit, 'fence'>): Promise<boolean> {
    const { store, integration, fence, onAnnounced } = this.#settings
    const { generation, token } = fence
    if (commit.progress !== undefined && token === undefined) throw fence.lost()
    const outcome = await store.commit(integration, { ...commit, fence: { generation, token } })
    if (outcome === 'fenced') throw fence.lost()
    if (outcome === 'committed' && commit.notes.some(({ announce }) => announce !== undefined)) onAnnounced()
    return outcome === 'committed'
  }
}

/** @throws NoteRefusedError if the work fails because of the data of one of the notes */
async function namingRefusal<Result>(noteIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const reason = noteIds.length === 0 ? undefined : dataRefusalIn(error)
    // Not as a cause: errors of databases quote the data.
    throw reason === undefined ? error : new NoteRefusedError(reason)
  }
}

/**
 * Divides notes into groups that are committed one after the other.
 *
 * @param maxSize  how many notes a commit may contain; `undefined` for no limit
 */
export function commitGroups<Item>(
  items: readonly Item[],
  maxSize = Number.POSITIVE_INFINITY,
): readonly (readonly Item[])[] {
  if (items.length <= maxSize) return [items]
  const groups: (readonly Item[])[] = []
  for (let begin = 0; begin < items.length; begin += maxSize) groups.push(items.slice(begin, begin + maxSize))
  return groups
}

function decideAll(
  noteIds: readonly string[],
  { notes, progress }: LoadedNotes,
  decide: Decide,
  sequence: number,
): ReadonlyMap<string, NoteWrite> {
  const writes = new Map<string, NoteWrite>()
  for (const noteId of noteIds) {
    const known = notes.get(noteId) ?? absentNote(noteId)
    const decision = decide(known.state, sequence, progress)
    if (decision !== undefined) writes.set(noteId, writeOf(known, decision))
  }
  return writes
}
