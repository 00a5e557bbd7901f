import type { Clock } from '@notewire/protocol'
import { MirrorBusyError } from './errors.ts'
import { inTheNextRun } from './next-run.ts'
import type { Decision } from './rules/decision.ts'
import type { KeptParts } from './rules/keep.ts'
import { type NoteState, unknownNote } from './rules/note-state.ts'
import type { LoadedNotes, MirrorCommit, MirrorStore, NoteWrite, VersionedState } from './stores/store.ts'

/** Decides about one note, as it is known. The sequence number is that of the moment when the reason was in hand. */
export type Decide = (state: NoteState, sequence: number) => Decision | undefined

/** What is written beside notes: decided again at every try. `'fenced'` gives up. */
export type Beside = (before: LoadedNotes, writes: readonly NoteWrite[]) => Omit<MirrorCommit, 'notes'> | 'fenced'

/** What was decided and written. */
export interface Revision {
  readonly notes: ReadonlyMap<string, NoteWrite>
  readonly before: LoadedNotes
}

/** Conflicts in a row, each of which means that somebody else got on. */
const MOST_TRIES = 200

/** Changes what is known: reads, decides, and writes, provided that nobody else wrote meanwhile; else once more. */
export class Ledger {
  readonly #store: MirrorStore
  readonly #scope: string
  readonly keep: KeptParts
  readonly clock: Clock

  constructor(facts: {
    readonly store: MirrorStore
    readonly scope: string
    readonly keep: KeptParts
    readonly clock: Clock
  }) {
    this.#store = facts.store
    this.#scope = facts.scope
    this.keep = facts.keep
    this.clock = facts.clock
  }

  /**
   * Revises notes in one step.
   *
   * @returns `'fenced'` when `beside` gave up
   * @throws MirrorBusyError when others were always faster
   */
  async revise(noteIds: readonly string[], decide: Decide, beside: Beside = () => ({})): Promise<Revision | 'fenced'> {
    let sequence: number | undefined
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = await this.#store.load(this.#scope, noteIds)
      sequence ??= before.sequence
      const notes = this.#writes(noteIds, before, decide, sequence)
      const extra = beside(before, [...notes.values()])
      if (extra === 'fenced') return 'fenced'
      const isNothing = notes.size === 0 && extra.progress === undefined && extra.heardAt === undefined
      if (isNothing) return { notes, before }
      const outcome = await this.#store.commit(this.#scope, { ...extra, notes: [...notes.values()] })
      if (outcome === 'committed') return { notes, before }
    }
    throw new MirrorBusyError()
  }

  /**
   * Changes a note from what is known of it, without asking again: for decisions that need no sequence number. Those that come
   * while one is being written are written together after it.
   *
   * @returns `false` when it was changed meanwhile, and nothing was written
   */
  async writeFrom(known: VersionedState, decide: (state: NoteState) => Decision | undefined): Promise<boolean> {
    const decision = decide(known.state)
    if (decision === undefined) return true
    const write = { ...decision, expectedVersion: known.version }
    return (await this.#writeTogether(write)).has(write)
  }

  readonly #writeTogether = inTheNextRun((writes: readonly NoteWrite[]) => this.#commitAll(writes))

  /** @returns those that were written */
  async #commitAll(writes: readonly NoteWrite[]): Promise<ReadonlySet<NoteWrite>> {
    const firsts = [...new Map(writes.toReversed().map((write) => [write.state.noteId, write])).values()]
    if (await this.#isWritten(firsts)) return new Set(firsts)
    const written = new Set<NoteWrite>()
    // Somebody was faster with one of them, or the store cannot take it, which must not cost the others.
    for (const write of firsts) if (await this.#isWritten([write])) written.add(write)
    return written
  }

  /** What the store throws, whoever revises the note alone meets again. */
  async #isWritten(notes: readonly NoteWrite[]): Promise<boolean> {
    return (await this.#store.commit(this.#scope, { notes }).catch(() => 'conflict')) === 'committed'
  }

  #writes(
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
}
