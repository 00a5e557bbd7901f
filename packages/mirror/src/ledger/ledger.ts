import type { Clock } from '@notewire/protocol'
import { MirrorBusyError } from '../interfaces/errors.ts'
import { type NoteState, unknownNote } from '../interfaces/note-state.ts'
import type { NoteWrite } from '../interfaces/note-write.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { LoadedNotes, MirrorStore, VersionedState } from '../interfaces/store.ts'
import type { Decision } from '../rules/decision.ts'
import { commitGroups } from './commit-groups.ts'

/**
 * Returns what to write for a note, given its state; `undefined` to leave the note unchanged. `sequence` is a sequence number that the
 * store issued after the response or event had arrived, and `progress` that of the listings.
 */
export type Decide = (state: NoteState, sequence: number, progress: MirrorProgress) => Decision | undefined

/** Returns the next progress, given the notes of the same commit; `undefined` to leave it unchanged. */
export type NextProgress = (before: LoadedNotes, writes: readonly NoteWrite[]) => MirrorProgress | undefined

/** A note that the caller has loaded, and how to revise it. The decision needs no sequence number. */
export interface KnownNote extends VersionedState {
  readonly decide: (state: NoteState) => Decision | undefined
}

/** What a ledger writes, and the clock of the times in it. */
interface LedgerSettings {
  readonly store: MirrorStore
  readonly integration: string
  readonly clock: Clock
}

/** What was loaded and written in one commit. */
interface Change {
  readonly before: LoadedNotes
  readonly writes: ReadonlyMap<string, NoteWrite>
  readonly progress: MirrorProgress
}

/** The maximum number of attempts to commit. Each conflict means that another process has committed. */
const MAX_ATTEMPTS = 200

/**
 * Writes every change of a mirror's notes and progress. It loads the rows, decides what to write, and commits unless another process has
 * written one of the rows since. In that case it starts again.
 */
export class Ledger {
  readonly #store: MirrorStore
  readonly #integration: string
  readonly #clock: Clock

  constructor({ store, integration, clock }: LedgerSettings) {
    this.#store = store
    this.#integration = integration
    this.#clock = clock
  }

  /**
   * Revises notes in one commit.
   *
   * @param heardAt  when the event arrived, if an event causes the change, in milliseconds since the Unix epoch
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
   * Replaces a progress that the caller has loaded, without loading it again: for decisions that need no notes and no sequence number.
   *
   * @returns `false` if nothing was written, because another process has written the progress since
   */
  async advanceKnown(expectedVersion: number, next: MirrorProgress): Promise<boolean> {
    const commit = { notes: [], progress: { expectedVersion, next } }
    return (await this.#store.commit(this.#integration, commit)) === 'committed'
  }

  /**
   * Revises notes that the caller has loaded, in one commit if the store allows it, without loading them again.
   *
   * @returns the notes that were not written, because another process has changed them, or because the store failed
   */
  async reviseKnown<Known extends KnownNote>(notes: readonly Known[]): Promise<readonly Known[]> {
    const left: Known[] = []
    const maxSize = notes.some(isEdited) ? this.#store.mostEditsPerCommit : undefined
    for (const group of commitGroups(notes, maxSize)) {
      if (await this.#commitKnown(group)) continue
      // Another process has changed one of the notes, or the store rejects one. Each note is tried in its own commit.
      for (const note of group) if (!(await this.#commitKnown([note]))) left.push(note)
    }
    return left
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
      const commit = { notes, progress, heardAt, now: this.#clock.now() }
      if ((await this.#store.commit(this.#integration, commit)) === 'committed') return change
    }
    throw new MirrorBusyError()
  }

  /**
   * An error of the store counts as a conflict: the caller of `reviseKnown` retries with this note alone, and that retry throws the error.
   */
  async #commitKnown(known: readonly KnownNote[]): Promise<boolean> {
    const notes = known.flatMap(({ state, version, decide }): readonly NoteWrite[] => {
      const decision = decide(state)
      return decision === undefined ? [] : [{ ...decision, expectedVersion: version }]
    })
    if (notes.length === 0) return true
    const commit = { notes, now: this.#clock.now() }
    return (await this.#store.commit(this.#integration, commit).catch(() => 'conflict')) === 'committed'
  }
}

/** Whether the content of the note was read before. */
function isEdited({ state: { transcriptHeld, summaryHeld } }: KnownNote): boolean {
  return transcriptHeld !== null || summaryHeld !== null
}

function decideAll(
  noteIds: readonly string[],
  { notes, progress }: LoadedNotes,
  decide: Decide,
  sequence: number,
): ReadonlyMap<string, NoteWrite> {
  const writes = new Map<string, NoteWrite>()
  for (const noteId of noteIds) {
    const { state, version } = notes.get(noteId) ?? { state: unknownNote(noteId), version: 0 }
    const decision = decide(state, sequence, progress)
    if (decision === undefined) continue
    writes.set(noteId, { ...decision, expectedVersion: version, isStamp: version > 0 && isStamp(state, decision) })
  }
  return writes
}

/** Whether a decision changes nothing but the evidence. Most notes of a scan are unchanged. */
function isStamp(before: NoteState, { state, content, announce }: Decision): boolean {
  const fields = Object.keys(state) as (keyof NoteState)[]
  const isSame = fields.every((field) => field === 'evidence' || state[field] === before[field])
  return isSame && content === undefined && announce === undefined
}
