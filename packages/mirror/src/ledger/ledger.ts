import { coalesce } from '../concurrency/coalesce.ts'
import { MirrorBusyError } from '../interfaces/errors.ts'
import { type NoteState, unknownNote } from '../interfaces/note-state.ts'
import type { NoteWrite } from '../interfaces/note-write.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedNotes, MirrorStore, VersionedState } from '../interfaces/store.ts'
import type { Decision } from '../rules/decision.ts'
import { commitGroups } from './commit-groups.ts'

/** Decides what to write for a note, from its state. `sequence` is the sequence number at which the reason (a response or an event) was available. */
export type Decide = (state: NoteState, sequence: number) => Decision | undefined

/** Returns the next progress, given the notes of the same commit; `undefined` to leave it unchanged. */
export type NextProgress = (before: LoadedNotes, writes: readonly NoteWrite[]) => MirrorProgress | undefined

/** What was loaded, and what was written. */
interface Change {
  readonly before: LoadedNotes
  readonly writes: ReadonlyMap<string, NoteWrite>
  readonly progress: MirrorProgress
}

/** The maximum number of attempts to commit. Each conflict means that another process has committed. */
const MAX_ATTEMPTS = 200

/** The only writer of a mirror. It loads rows, decides, and commits if no other process has written them meanwhile; otherwise it repeats. */
export class Ledger {
  readonly #store: MirrorStore
  readonly #integration: string

  constructor({ store, integration }: { readonly store: MirrorStore; readonly integration: string }) {
    this.#store = store
    this.#integration = integration
  }

  /**
   * Revises notes in one commit.
   *
   * @param heardAt  when the event arrived, if an event causes this revision, in milliseconds since the Unix epoch
   * @returns the written notes, by id
   * @throws MirrorBusyError when every attempt conflicted with other processes
   */
  async revise(
    noteIds: readonly string[],
    decide: Decide,
    heardAt?: number | undefined,
  ): Promise<ReadonlyMap<string, NoteWrite>> {
    return (await this.#change(noteIds, decide, () => undefined, heardAt)).writes
  }

  /**
   * Advances the progress, and revises the notes of a page in the same commit.
   *
   * @throws what `next` throws; MirrorBusyError when every attempt conflicted with other processes
   */
  async advance(
    next: NextProgress,
    noteIds: readonly string[] = [],
    decide: Decide = () => undefined,
  ): Promise<Pick<Change, 'before' | 'progress'>> {
    return await this.#change(noteIds, decide, next)
  }

  /**
   * Advances a progress that was loaded before, without loading it again: for decisions that need no notes and no sequence number.
   *
   * @returns `false` if another process has advanced it meanwhile, and nothing was written
   */
  async advanceKnown(expectedVersion: number, next: MirrorProgress): Promise<boolean> {
    const commit = { notes: [], progress: { expectedVersion, next } }
    return (await this.#store.commit(this.#integration, commit)) === 'committed'
  }

  /**
   * Revises a note that was loaded before, without loading it again: for decisions that need no sequence number. Writes that are requested
   * during a commit are written together in the next commits.
   *
   * @returns `false` if nothing was written: another process has changed the note, another write of the note is in the same commit, or the store failed
   */
  async reviseKnown(known: VersionedState, decide: (state: NoteState) => Decision | undefined): Promise<boolean> {
    const decision = decide(known.state)
    if (decision === undefined) return true
    const write = { ...decision, expectedVersion: known.version }
    return (await this.#enqueue(write)).has(write)
  }

  async #change(
    noteIds: readonly string[],
    decide: Decide,
    nextProgress: NextProgress,
    heardAt?: number,
  ): Promise<Change> {
    let sequence: number | undefined
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const before = await this.#store.load(this.#integration, noteIds)
      sequence ??= before.sequence
      const writes = decideAll(noteIds, before, decide, sequence)
      const notes = [...writes.values()]
      const next = nextProgress(before, notes)
      const change = { before, writes, progress: next ?? before.progress }
      if (notes.length === 0 && next === undefined && heardAt === undefined) return change
      const progress = next && { expectedVersion: before.progressVersion, next }
      if ((await this.#store.commit(this.#integration, { notes, progress, heardAt })) === 'committed') return change
    }
    throw new MirrorBusyError()
  }

  readonly #enqueue = coalesce((writes: readonly NoteWrite[]) => this.#commitTogether(writes))

  /** @returns the writes that were committed */
  async #commitTogether(writes: readonly NoteWrite[]): Promise<ReadonlySet<NoteWrite>> {
    const firstWrites = [...new Map(writes.toReversed().map((write) => [write.state.noteId, write])).values()]
    const written = new Set<NoteWrite>()
    for (const group of commitGroups(firstWrites)) {
      for (const write of await this.#commitGroup(group)) written.add(write)
    }
    return written
  }

  async #commitGroup(group: readonly NoteWrite[]): Promise<readonly NoteWrite[]> {
    if (await this.#commit(group)) return group
    const written: NoteWrite[] = []
    // One of the notes has changed meanwhile, or the store rejects it. The others are still written.
    for (const write of group) if (await this.#commit([write])) written.push(write)
    return written
  }

  /** An error of the store counts as a conflict: the caller of `reviseKnown` retries with this note alone, and that retry throws the error. */
  async #commit(notes: readonly NoteWrite[]): Promise<boolean> {
    return (await this.#store.commit(this.#integration, { notes }).catch(() => 'conflict')) === 'committed'
  }
}

function decideAll(
  noteIds: readonly string[],
  { notes }: LoadedNotes,
  decide: Decide,
  sequence: number,
): ReadonlyMap<string, NoteWrite> {
  const writes = new Map<string, NoteWrite>()
  for (const noteId of noteIds) {
    const { state, version } = notes.get(noteId) ?? { state: unknownNote(noteId), version: 0 }
    const decision = decide(state, sequence)
    if (decision !== undefined) writes.set(noteId, { ...decision, expectedVersion: version })
  }
  return writes
}
