import type { Clock } from '@notewire/protocol'
import type { ConsumerStore } from '../consumers/consumer-store.ts'
import type { Fence, IntegrationRows } from '../integrations/integration-store.ts'
import type { CompletionCertificate, CopyState, MirrorProgress } from '../integrations/progress.ts'
import type { NoteState } from '../notes/note-state.ts'
import type { NoteWrite, PartDigests } from '../notes/note-write.ts'
import type { StoredNote } from '../notes/stored-note.ts'

/**
 * The store of a mirror. It contains no rules: it reads rows, and writes all or none of them, if no other process has written them since.
 * `mirrorStoreChecks` test this contract. Integrations are isolated. Times are milliseconds since the Unix
 * epoch, by the `clock` of the store.
 *
 * @typeParam Transaction  the transaction that a consumer's `commit` takes; `never` if the store has no transactions for users
 */
export interface MirrorStore<Transaction = never> extends ConsumerStore<Transaction> {
  /**
   * The clock of the store, which every process that uses it goes by: all times in the store are its times. A store on a server returns the clock of
   * the server, as of its latest response.
   */
  readonly clock: Clock
  /** The integrations of the store. */
  readonly integrations: IntegrationRows
  /**
   * The maximum number of edited notes in one commit, at least 1. For a store that blocks the thread while it commits. Default: no limit.
   */
  readonly mostEditsPerCommit?: number
  /** Creates missing tables. Any number of instances may call it concurrently, and at every start. */
  migrate(): Promise<void>
  /** Advances the integration's sequence by one, and reads. The number is greater than all earlier numbers of any process. */
  load(integration: string, noteIds: readonly string[]): Promise<LoadedNotes>
  /** Reads the integration's latest sequence number, its progress, and when it has work. */
  readProgress(integration: string): Promise<CopyState>
  /**
   * Writes everything atomically, or nothing: `'conflict'` if a note does not have the expected version. When it resolves, the write survives the end of the process. With `heardAt`, which acknowledges an event, it also survives a power cut. A power cut may undo the
   * latest other commits, in reverse order, but never causes a position or a sequence number to be used twice. With `fence`, it returns `'fenced'`
   * and writes nothing if the integration has been removed, or taken by another worker.
   */
  commit(integration: string, commit: MirrorCommit): Promise<'committed' | 'conflict' | 'fenced'>
  /** Reads due notes, notes that must be read again first, then the most overdue. It changes no note, so concurrent callers read the same notes. */
  readDue(integration: string, request: DueRequest): Promise<DueNotes>
  /**
   * Does a part of the work of the store itself, such as keeping its search index, for about 50 ms. Called while no note is due. Default: none.
   *
   * @returns whether more is left
   */
  tidy?(): Promise<boolean>
  /** Counts the notes of the integration. */
  count(integration: string, certificate?: CompletionCertificate): Promise<StoreCounts>
  /**
   * Reads where the feed of the integration is, and where one of its runs ended. A store instance begins a run with its first commit that announces
   * a note, and with each one that finds an earlier state of the feed than this instance has written. Positions belong to the latest run that began
   * before them. The store keeps the latest `MAX_RUNS` runs.
   *
   * @param run  the id of a run; `''` for the positions from before runs were recorded
   */
  readFeed(integration: string, run: string): Promise<FeedState>
  /** Lists the states of some notes. */
  listStates(integration: string, query: StatesQuery): Promise<readonly ChangedNote[]>
  /** Reads notes with their content. */
  listNotes(integration: string, query: NotesQuery): Promise<readonly StoredNote[]>
}

/** What the readers of a mirror need. */
export type ReadableStore = Pick<
  MirrorStore,
  'integrations' | 'readProgress' | 'count' | 'readFeed' | 'listStates' | 'listNotes'
>

/**
 * Which states to list, with at most `limit` of them.
 *
 * - `missing`: live notes whose evidence starts before the full listing, by id after `after`: those that a complete listing did not contain.
 * - `heldBy`: hidden notes whose removal a full listing holds back, by id after `after`.
 * - `hiddenBefore`: hidden notes with content whose `hiddenAt` is this or earlier, by id. A `hiddenAt` that is more than two days later was written by
 *   a clock that was wrong, and counts as earlier.
 * - `notErasedAfter`: notes whose state is not that of `erasedNote`, by id after `notErasedAfter`.
 * - `changedAfter`: the notes that changed after a position, each once, by the position of its latest change.
 */
export type StatesQuery = { readonly limit: number } & (
  | { readonly missing: CompletionCertificate; readonly after: string }
  | { readonly heldBy: string; readonly after: string }
  | { readonly hiddenBefore: number }
  | { readonly notErasedAfter: string }
  | { readonly changedAfter: number }
)

/**
 * Which notes to read.
 *
 * - `noteId`: this note, of any presence.
 * - `after`: live notes, by id.
 * - `words`: live notes that contain all words in their title, content, transcript or summary, the best match first. The last word may be the
 *   beginning of a word. The other words are whole words; some stores also match parts of words.
 */
export type NotesQuery =
  | { readonly noteId: string }
  | { readonly after: string; readonly limit: number }
  | { readonly words: readonly string[]; readonly limit: number }

export interface VersionedState {
  readonly state: NoteState
  readonly version: number
  readonly digests: PartDigests
}

export interface LoadedNotes extends LoadedProgress {
  readonly notes: ReadonlyMap<string, VersionedState>
}

export type LoadedProgress = Pick<CopyState, 'sequence' | 'progress' | 'heardAt'>

/** A write of `commit`, all or nothing. */
export interface MirrorCommit {
  readonly notes: readonly NoteWrite[]
  /** Replaces the progress. Only the worker with the lease of the integration writes it, so `fence` has its token. */
  readonly progress?: MirrorProgress | undefined
  readonly heardAt?: number | undefined
  readonly fence?: Fence | undefined
  /** Gives the integration of the `fence` the rank of hints, and makes it due at this time, unless it is due earlier. */
  readonly hintDueAt?: number | undefined
}

export interface DueRequest {
  /** Notes are due up to this time. */
  readonly dueBy: number
  readonly limit: number
  /** The ids of notes to leave out, as if they were not due. Default: none. */
  readonly except?: readonly string[] | undefined
}

export interface DueNotes {
  /** The sequence number at which requests for these notes start. The hints of these notes have numbers that are not greater. */
  readonly sequence: number
  readonly notes: readonly VersionedState[]
  /** When the first of the other notes is due. */
  readonly nextDueAt: number | null
}

/** The number of notes of each kind. */
export interface NoteCounts {
  readonly live: number
  readonly hidden: number
  readonly gone: number
  /** Must be read, because of an event or a contradiction. */
  readonly dirty: number
  /** Live, and transcript or summary must be read. */
  readonly unsettled: number
  /** The service returns a lower revision than an earlier read or event named. */
  readonly contradicted: number
}

/** Result of `count`. */
export interface StoreCounts extends NoteCounts {
  /** The number of notes that `listStates` lists as missing; 0 without a certificate. */
  readonly missing: number
  /** The full listings that hold removals back, by full listing id. */
  readonly held: readonly HeldRemovals[]
}

/** A full listing that holds removals back, and the number of its missing notes. */
export interface HeldRemovals {
  readonly fullListingId: string
  readonly notes: number
}

/** The number of runs of an integration that a store keeps. */
export const MAX_RUNS = 1_000

/** Result of `readFeed`. */
export interface FeedState {
  /** The id of the copy; `null` if there is none. */
  readonly generation: string | null
  /** The position of the latest change; 0 before the first. */
  readonly position: number
  /** The run of the latest change; `''` if it was not recorded. */
  readonly run: string
  /** The last position of the run that was asked for; `null` if the store does not contain this run. */
  readonly runEnd: number | null
  /** Whether the server is a replica, which may lag behind the server that assigned a position. Absent if not. */
  readonly isReplica?: boolean | undefined
}

/** A note's latest change. Positions grow with every change of the integration, and are never used twice. */
export interface ChangedNote {
  readonly state: NoteState
  readonly position: number
  /** The position at which the note last became visible. */
  readonly visiblePosition: number
  /** The position at which the note first became visible; `null` if it never was. */
  readonly firstVisiblePosition: number | null
  /** With `changedAfter`: the run of the position; `''` if it was not recorded. */
  readonly run?: string | undefined
}
