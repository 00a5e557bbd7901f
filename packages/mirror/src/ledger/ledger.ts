import { MirrorBusyError, NoteRefusedError } from '../errors.ts'
import type { Fence } from '../integrations/integration-store.ts'
import type { MirrorProgress } from '../integrations/progress.ts'
import { type NoteState, noteIdsOf } from '../notes/note-state.ts'
import type { NoteWrite } from '../notes/note-write.ts'
import type { Decision } from '../rules/evidence.ts'
import { hintedDueAt } from '../rules/hint-rule.ts'
import { absentNote, writeOf } from '../rules/written-parts.ts'
import type { LoadedNotes, LoadedProgress, MirrorCommit, MirrorStore, VersionedState } from '../stores/mirror-store.ts'
import { dataRefusalIn } from './data-refusal.ts'

/** What to write, all or nothing. */
export interface Revision {
  readonly notes?: readonly Decision[] | undefined
  readonly progress?: MirrorProgress | undefined
  /** When the event arrived, if an event causes the change. */
  readonly heardAt?: number | undefined
}

/** A change of notes, of the progress, or of both. */
export interface Change<Decided extends Revision> {
  /** The notes to load. */
  readonly noteIds: readonly string[]
  /**
   * Decides what to write. The sequence number was issued after the response or the event had arrived. Called again with what was loaded then, if
   * another process has written one of the notes.
   */
  readonly decide: (loaded: LoadedNotes) => Decided
}

type KnownNotes = Pick<LoadedNotes, 'notes'>

/** A change of notes that the caller has loaded or written. */
export interface KnownChange {
  readonly known: readonly VersionedState[]
  readonly decide: (loaded: KnownNotes) => Revision
}

/** Makes a change of the progress alone, for which nothing is loaded. */
export function progressAlone(progress: MirrorProgress): KnownChange {
  return { known: [], decide: () => ({ progress }) }
}

/** Decides about one note; `undefined` to leave it unchanged. */
type DecideNote = (state: NoteState, loaded: Pick<LoadedNotes, 'sequence' | 'progress'>) => Decision | undefined

/**
 * Makes a change of notes that are decided about one by one.
 *
 * @param heardAt  when the event arrived, if an event causes the change, in milliseconds since the Unix epoch
 */
export function eachNote(noteIds: readonly string[], decide: DecideNote, heardAt?: number): Change<Revision> {
  return {
    noteIds,
    decide: (loaded) => ({
      notes: noteIds.flatMap((noteId) => decide(knownNote(loaded, noteId).state, loaded) ?? []),
      heardAt,
    }),
  }
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

/** What was written, by note id. */
type NoteWrites = ReadonlyMap<string, NoteWrite>

/** What a commit has written. */
interface Written<Decided extends Revision> {
  readonly revision: Decided
  readonly writes: NoteWrites
  /** The copy after the commit, with its latest sequence number. */
  readonly copy: LoadedProgress
}

/** The maximum number of attempts to commit. Each conflict means that another process has committed. */
const MAX_ATTEMPTS = 200

/** Writes every change of a mirror's notes and progress. */
export class Ledger {
  readonly #settings: LedgerSettings

  constructor(settings: LedgerSettings) {
    this.#settings = settings
  }

  /**
   * Decides what to write, and commits, unless another process has written one of the notes since they were loaded. In that case it loads them
   * again. A change of progress is written under the lease of the integration only.
   *
   * @throws MirrorBusyError when every attempt conflicted with other processes
   * @throws NoteRefusedError if the store refuses the data of one of the notes, so that nothing was written
   */
  async commit<Decided extends Revision>(change: Change<Decided>): Promise<Written<Decided>> {
    return await namingRefusal(change.noteIds, () => this.#commitLoaded(change))
  }

  /** Like `commit`, for notes that the caller has loaded or written. Loads only what another process has written since; without notes, nothing. */
  async commitKnown({ known, decide }: KnownChange): Promise<void> {
    const noteIds = noteIdsOf(known)
    const loaded = { notes: new Map(known.map((note) => [note.state.noteId, note])) }
    const writes = await namingRefusal(noteIds, () => this.#write(loaded, decide(loaded)))
    if (writes === undefined) await this.commit({ noteIds, decide })
  }

  async #commitLoaded<Decided extends Revision>({ noteIds, decide }: Change<Decided>): Promise<Written<Decided>> {
    const { store, integration } = this.#settings
    let sequence: number | undefined
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const loaded = await store.load(integration, noteIds)
      sequence ??= loaded.sequence
      const revision = decide({ ...loaded, sequence })
      const writes = await this.#write(loaded, revision)
      const { progress = loaded.progress } = revision
      if (writes !== undefined) return { revision, writes, copy: { ...loaded, progress } }
    }
    throw new MirrorBusyError()
  }

  /** @returns the written notes; `undefined` if another process has written one of the rows since */
  async #write(loaded: KnownNotes, { notes = [], progress, heardAt }: Revision): Promise<NoteWrites | undefined> {
    const { store, integration, fence, onAnnounced } = this.#settings
    const { generation, token } = fence
    const writes = notes.map((note) => writeOf(knownNote(loaded, note.state.noteId), note))
    if (writes.length > 0 || progress !== undefined || heardAt !== undefined) {
      if (progress !== undefined && token === undefined) throw fence.lost()
      const commit = { notes: writes, progress, ...ofEvent(heardAt, writes), fence: { generation, token } }
      const outcome = await store.commit(integration, commit)
      if (outcome === 'fenced') throw fence.lost()
      if (outcome === 'conflict') return undefined
      if (writes.some(({ announce }) => announce !== undefined)) onAnnounced()
    }
    return new Map(writes.map((write) => [write.state.noteId, write]))
  }
}

function knownNote({ notes }: KnownNotes, noteId: string): VersionedState {
  return notes.get(noteId) ?? absentNote(noteId)
}

/** What the commit of an event has in addition. */
function ofEvent(
  heardAt: number | undefined,
  writes: readonly NoteWrite[],
): Pick<MirrorCommit, 'heardAt' | 'hintDueAt'> {
  return heardAt === undefined ? {} : { heardAt, hintDueAt: hintedDueAt(writes.map(({ state }) => state)) }
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
