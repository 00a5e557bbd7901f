import { coalesce } from '../concurrency/coalesce.ts'
import { MirrorBusyError } from '../interfaces/errors.ts'
import { type NoteState, unknownNote } from '../interfaces/note-state.ts'
import type { NoteWrite } from '../interfaces/note-write.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedNotes, MirrorStore, VersionedState } from '../interfaces/store.ts'
import type { Decision } from '../rules/decision.ts'

/** Decides about one note by what is known of it. The sequence number is that of the moment when the reason was in hand. */
export type Decide = (state: NoteState, sequence: number) => Decision | undefined

/** Decides the next progress, with the notes that are written in the same commit. `undefined` leaves it as it is. */
export type Advance = (before: LoadedNotes, writes: readonly NoteWrite[]) => MirrorProgress | undefined

/** What was loaded, and what was written. */
interface Change {
  readonly before: LoadedNotes
  readonly writes: ReadonlyMap<string, NoteWrite>
  readonly progress: MirrorProgress
}

/** How many conflicts in a row are tried again. At each of them, another process made progress. */
const MOST_TRIES = 200

/** The only writer of a mirror: it loads, decides, and commits if no other process wrote meanwhile; otherwise it decides again. */
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
   * @param heardAt  when an event came, in milliseconds since the Unix epoch, if one is the reason
   * @returns the notes that were written, by id
   * @throws MirrorBusyError when other processes were faster at every try
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
   * @throws what `advance` throws; MirrorBusyError when other processes were faster at every try
   */
  async advance(
    advance: Advance,
    noteIds: readonly string[] = [],
    decide: Decide = () => undefined,
  ): Promise<Pick<Change, 'before' | 'progress'>> {
    return await this.#change(noteIds, decide, advance)
  }

  /**
   * Advances the progress from what is known of it, without loading it again: for decisions that need no notes and no sequence number.
   *
   * @returns `false` when another process advanced it meanwhile, and nothing was written
   */
  async advanceKnown(expectedVersion: number, next: MirrorProgress): Promise<boolean> {
    const commit = { notes: [], progress: { expectedVersion, next } }
    return (await this.#store.commit(this.#integration, commit)) === 'committed'
  }

  /**
   * Revises a note from what is known of it, without loading it again: for decisions that need no sequence number. Those that
   * come while others are being written are written together after them.
   *
   * @returns `false` when another process changed the note meanwhile, and nothing was written
   */
  async reviseKnown(known: VersionedState, decide: (state: NoteState) => Decision | undefined): Promise<boolean> {
    const decision = decide(known.state)
    if (decision === undefined) return true
    const write = { ...decision, expectedVersion: known.version }
    return (await this.#writeTogether(write)).has(write)
  }

  async #change(noteIds: readonly string[], decide: Decide, advance: Advance, heardAt?: number): Promise<Change> {
    let sequence: number | undefined
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = await this.#store.load(this.#integration, noteIds)
      sequence ??= before.sequence
      const writes = decideAll(noteIds, before, decide, sequence)
      const notes = [...writes.values()]
      const next = advance(before, notes)
      const change = { before, writes, progress: next ?? before.progress }
      if (notes.length === 0 && next === undefined && heardAt === undefined) return change
      const progress = next && { expectedVersion: before.progressVersion, next }
      if ((await this.#store.commit(this.#integration, { notes, progress, heardAt })) === 'committed') return change
    }
    throw new MirrorBusyError()
  }

  readonly #writeTogether = coalesce((writes: readonly NoteWrite[]) => this.#commitAll(writes))

  /** @returns those that were written */
  async #commitAll(writes: readonly NoteWrite[]): Promise<ReadonlySet<NoteWrite>> {
    const firsts = [...new Map(writes.toReversed().map((write) => [write.state.noteId, write])).values()]
    if (await this.#isWritten(firsts)) return new Set(firsts)
    const written = new Set<NoteWrite>()
    // One of the notes was changed meanwhile, or the store cannot take it. The others are written.
    for (const write of firsts) if (await this.#isWritten([write])) written.add(write)
    return written
  }

  /** What the store throws is thrown again when the caller revises the note by itself. */
  async #isWritten(notes: readonly NoteWrite[]): Promise<boolean> {
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
