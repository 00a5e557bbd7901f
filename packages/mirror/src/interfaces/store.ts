import type { Note } from '@notewire/protocol'
import type { ConsumerStore } from './consumer-store.ts'
import type { Fence, IntegrationStore } from './integration-store.ts'
import type { NoteState } from './note-state.ts'
import type { NoteWrite } from './note-write.ts'
import type { CompletionCertificate, CopyState, MirrorProgress } from './progress.ts'
import type { StoredNote } from './stored-note.ts'

/**
 * Where a mirror is kept. The rules are not here: a store reads rows, and writes them all or none, if no other process
 * wrote them meanwhile. `mirrorStoreChecks` of `@notewire/mirror/testing` says the same, executable.
 *
 * Every operation belongs to an integration. Integrations never see each other.
 *
 * @typeParam Transaction  what the `commit` of a consumer takes; `never` if the store has no transactions for users
 */
export interface MirrorStore<Transaction = never> extends ConsumerStore<Transaction> {
  /** The integrations of `createMirrors`. */
  readonly integrations: IntegrationStore
  /** Makes what the store needs, where it is missing. Any number of instances may call it at once, and at every start. */
  migrate(): Promise<void>
  /**
   * Advances the integration's sequence by one and reads: the number is greater than all numbers before, for any process, so that
   * it dates an answer that is in hand.
   */
  load(integration: string, noteIds: readonly string[]): Promise<LoadedNotes>
  /** The integration's latest sequence number, which dates a request that is about to leave, and its progress. */
  readProgress(integration: string): Promise<LoadedProgress>
  /**
   * Writes everything in one step, or nothing: `'conflict'` when a note or the progress is no longer of the expected version. It
   * survives the end of the process when it resolves; with `heardAt`, which acknowledges an event, also a power cut. A power cut may
   * take the latest others back, in their order, but never lets a position or a sequence number be used twice. With `fence`, it answers
   * `'fenced'` and writes nothing when the integration has been removed, or taken by another worker. With `fence` and `heardAt`, it makes
   * the integration due in the same step, if one of the notes is.
   */
  commit(integration: string, commit: MirrorCommit): Promise<'committed' | 'conflict' | 'fenced'>
  /**
   * Takes notes whose work is due, dirty ones first, then the longest due, and postpones them until `until`, so that no other
   * caller takes them meanwhile: of several callers at once, each gets others. The sequence number dates what is read for them.
   */
  takeDue(integration: string, request: DueRequest): Promise<DueNotes>
  /**
   * Lists live notes whose evidence starts before the scan did, by id: those that a complete listing did not show.
   *
   * @param after  the id after which to go on, or `''`
   */
  listCandidates(
    integration: string,
    certificate: CompletionCertificate,
    after: string,
    limit: number,
  ): Promise<readonly string[]>
  /** Counts those of `listCandidates`. */
  countCandidates(integration: string, certificate: CompletionCertificate): Promise<number>
  /** Lists hidden notes that a scan holds back, by id. */
  listHeld(integration: string, scanId: string, after: string, limit: number): Promise<readonly string[]>
  /**
   * Lists notes with content that an event has hidden at a time or before, by id, and that nothing has settled since.
   *
   * @param hiddenBefore  milliseconds since the Unix epoch, as `hiddenAt`
   */
  listOverdue(integration: string, hiddenBefore: number, limit: number): Promise<readonly string[]>
  /** Lists the scans that hold removals back, and how many each holds, by scan. */
  listHolds(integration: string): Promise<readonly HeldRemovals[]>
  /** Counts the notes of the integration. */
  count(integration: string): Promise<NoteCounts>
  /** Reads the position of the latest change; `0` before the first. */
  latestPosition(integration: string): Promise<number>
  /** Lists what changed after a position, each note once, with its latest change, in the order of positions. */
  listChanges(integration: string, after: number, limit: number): Promise<readonly ChangedNote[]>
  /** Reads a note with its content, whatever its presence. */
  getNote(integration: string, noteId: string): Promise<StoredNote | undefined>
  /** Lists live notes with their content, by id. */
  listNotes(integration: string, after: string, limit: number): Promise<readonly StoredNote[]>
  /**
   * Finds live notes in whose title, content, transcript or summary all words occur, the best match first. The last word can be
   * the beginning of a word. The other words are whole words; some stores find parts of them, too.
   */
  search(integration: string, words: readonly string[], limit: number): Promise<readonly StoredNote[]>
  /**
   * Removes the bytes of erased content that the store leaves in its files. Absent in a store that leaves none.
   *
   * @throws PurgeIncompleteError if bytes may be left
   */
  purge?(): Promise<void>
  /** Closes what the store has opened. */
  close?(): Promise<void> | void
}

/** A note's state and the number of times that it was written: `0` for one that is not there. */
export interface VersionedState {
  readonly state: NoteState
  readonly version: number
}

/** What `load` reads. */
export interface LoadedNotes extends LoadedProgress {
  /** Those of the ids that are known. */
  readonly notes: ReadonlyMap<string, VersionedState>
}

/** What `readProgress` reads. */
export type LoadedProgress = Pick<CopyState, 'sequence' | 'progress' | 'progressVersion' | 'heardAt'>

/** What `commit` writes, all or nothing. */
export interface MirrorCommit {
  readonly notes: readonly NoteWrite[]
  readonly progress?: { readonly expectedVersion: number; readonly next: MirrorProgress } | undefined
  /** When an event came, in milliseconds since the Unix epoch. */
  readonly heardAt?: number | undefined
  readonly fence?: Fence | undefined
}

/** What `takeDue` is asked for. Times are milliseconds since the Unix epoch. */
export interface DueRequest {
  readonly now: number
  readonly until: number
  readonly limit: number
}

/** What `takeDue` gives. */
export interface DueNotes {
  readonly sequence: number
  readonly notes: readonly DueNote[]
  /** When the earliest of the others is due; `null` when none is. */
  readonly nextDueAt: number | null
}

/** A note with work to do, as it is now, already postponed. */
export interface DueNote extends VersionedState {
  /** The record that was applied last. */
  readonly note: Note | null
}

/** How many notes there are of each kind. */
export interface NoteCounts {
  readonly live: number
  readonly hidden: number
  readonly gone: number
  /** To be read again, because an event or a contradiction said so. */
  readonly dirty: number
  /** Live, with transcript or summary still to be read. */
  readonly unsettled: number
  /** Shown by reads at a lower revision than by a read or an event before. */
  readonly contradicted: number
}

/** Notes that a scan found missing, and that wait to be accepted as removed. */
export interface HeldRemovals {
  readonly scanId: string
  readonly notes: number
}

/** A note's latest change. Positions grow with every change of the integration, and are never used twice. */
export interface ChangedNote {
  readonly state: NoteState
  readonly position: number
  /** The position at which the note became visible last. */
  readonly visibleSince: number
  /** The position at which the note became visible for the first time; `null` when it never was. */
  readonly firstVisible: number | null
}
