import type { Note } from '@notewire/protocol'
import type { ConsumerStore } from './consumer-store.ts'
import type { Fence, IntegrationStore } from './integration-store.ts'
import type { NoteState } from './note-state.ts'
import type { NoteWrite } from './note-write.ts'
import type { CompletionCertificate, CopyState, MirrorProgress } from './progress.ts'
import type { StoredNote } from './stored-note.ts'

/**
 * The store of a mirror. It contains no rules: it reads rows, and writes all or none of them, if no other process has written them
 * since. `mirrorStoreChecks` of `@notewire/mirror/testing` is the same, executable. Integrations are isolated. Times are milliseconds
 * since the Unix epoch.
 *
 * @typeParam Transaction  what the `commit` of a consumer takes; `never` if the store has no transactions for users
 */
export interface MirrorStore<Transaction = never> extends ConsumerStore<Transaction> {
  /** The integrations of `createMirrors`. */
  readonly integrations: IntegrationStore
  /** Creates missing tables. Any number of instances may call it concurrently, and at every start. */
  migrate(): Promise<void>
  /** Advances the integration's sequence by one, and reads. The number is greater than all earlier numbers of any process. */
  load(integration: string, noteIds: readonly string[]): Promise<LoadedNotes>
  /** Reads the integration's latest sequence number and its progress. */
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
   * Takes due notes, dirty ones first, then the longest due, and postpones them until `until`: concurrent callers take different notes.
   */
  takeDue(integration: string, request: DueRequest): Promise<DueNotes>
  /** Lists live notes whose evidence starts before the scan, by id after `after`: those that a complete listing did not contain. */
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
  /** Lists notes with content whose `hiddenAt` is `hiddenBefore` or earlier, by id. */
  listOverdue(integration: string, hiddenBefore: number, limit: number): Promise<readonly string[]>
  /** Lists the scans that hold removals back, by scan. */
  listHolds(integration: string): Promise<readonly HeldRemovals[]>
  /** Counts the notes of the integration. */
  count(integration: string): Promise<NoteCounts>
  /** Reads the position of the latest change; `0` before the first. */
  latestPosition(integration: string): Promise<number>
  /** Lists the notes that changed after a position, each once, by the position of its latest change. */
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

/** A note's state and the number of its commits. */
export interface VersionedState {
  readonly state: NoteState
  readonly version: number
}

/** What `load` reads. */
export interface LoadedNotes extends LoadedProgress {
  /** The notes that are known. */
  readonly notes: ReadonlyMap<string, VersionedState>
}

/** What `readProgress` reads. */
export type LoadedProgress = Pick<CopyState, 'sequence' | 'progress' | 'progressVersion' | 'heardAt'>

/** What `commit` writes, all or nothing. */
export interface MirrorCommit {
  readonly notes: readonly NoteWrite[]
  readonly progress?: { readonly expectedVersion: number; readonly next: MirrorProgress } | undefined
  /** When an event arrived. */
  readonly heardAt?: number | undefined
  readonly fence?: Fence | undefined
}

/** What `takeDue` is asked for. */
export interface DueRequest {
  readonly now: number
  readonly until: number
  readonly limit: number
}

/** What `takeDue` takes. */
export interface DueNotes {
  /** The sequence number of requests for these notes. */
  readonly sequence: number
  readonly notes: readonly DueNote[]
  /** When the first of the other notes is due. */
  readonly nextDueAt: number | null
}

/** A due note, already postponed. */
export interface DueNote extends VersionedState {
  /** The latest applied record. */
  readonly note: Note | null
}

/** The number of notes of each kind. */
export interface NoteCounts {
  readonly live: number
  readonly hidden: number
  readonly gone: number
  /** To be read, because of an event or a contradiction. */
  readonly dirty: number
  /** Live, with transcript or summary still to be read. */
  readonly unsettled: number
  /** Shown at a lower revision than an earlier read or event named. */
  readonly contradicted: number
}

/** The missing notes whose removal a scan holds back. */
export interface HeldRemovals {
  readonly scanId: string
  readonly notes: number
}

/** A note's latest change. Positions grow with every change of the integration, and are never used twice. */
export interface ChangedNote {
  readonly state: NoteState
  readonly position: number
  /** The position at which the note last became visible. */
  readonly visibleSince: number
  /** The position at which the note first became visible; `null` if it never was. */
  readonly firstVisible: number | null
}
