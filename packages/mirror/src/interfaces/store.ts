import type { Note } from '@notewire/protocol'
import type { ConsumerStore } from './consumer-store.ts'
import type { Fence, IntegrationStore } from './integration-store.ts'
import type { NoteState } from './note-state.ts'
import type { NoteWrite } from './note-write.ts'
import type { CompletionCertificate, CopyState, MirrorProgress } from './progress.ts'
import type { StoredNote } from './stored-note.ts'

/**
 * The store of a mirror. It contains no rules: it reads rows, and writes all or none of them, if no other process has written them since.
 * `mirrorStoreChecks` of `@notewire/mirror/testing` test this contract. Integrations are isolated. Times are milliseconds since the Unix
 * epoch.
 *
 * @typeParam Transaction  the transaction that a consumer's `commit` takes; `never` if the store has no transactions for users
 */
export interface MirrorStore<Transaction = never> extends ConsumerStore<Transaction> {
  /** The integrations of `createMirrors`. */
  readonly integrations: IntegrationStore
  /**
   * The maximum number of edited notes in one commit, at least 1. For a store that blocks the thread while it commits. Default: no limit.
   */
  readonly mostEditsPerCommit?: number
  /** Creates missing tables. Any number of instances may call it concurrently, and at every start. */
  migrate(): Promise<void>
  /** Advances the integration's sequence by one, and reads. The number is greater than all earlier numbers of any process. */
  load(integration: string, noteIds: readonly string[]): Promise<LoadedNotes>
  /** Reads the integration's latest sequence number, its progress, and when it has work, by the clock of a caller whose present is `now`. */
  readProgress(integration: string, now?: number): Promise<CopyState>
  /**
   * Writes everything atomically, or nothing: `'conflict'` if a note or the progress does not have the expected version. When it resolves, the
   * write survives the end of the process. With `heardAt`, which acknowledges an event, it also survives a power cut. A power cut may undo the
   * latest other commits, in reverse order, but never causes a position or a sequence number to be used twice. With `fence`, it returns `'fenced'`
   * and writes nothing if the integration has been removed, or taken by another worker. With `fence` and `heardAt`, it also makes the integration
   * due if one of the notes is due.
   */
  commit(integration: string, commit: MirrorCommit): Promise<'committed' | 'conflict' | 'fenced'>
  /**
   * Takes due notes, dirty notes first, then the most overdue, and postpones them until `until`. Concurrent callers take different notes.
   */
  takeDue(integration: string, request: DueRequest): Promise<DueNotes>
  /** Lists live notes whose evidence starts before the scan, by id after `after`: those that a complete listing did not contain. */
  listCandidates(
    integration: string,
    certificate: CompletionCertificate,
    after: string,
    limit: number,
  ): Promise<readonly string[]>
  /** Counts the notes of `listCandidates`. */
  countCandidates(integration: string, certificate: CompletionCertificate): Promise<number>
  /** Lists hidden notes whose removal a scan holds back, by id. */
  listHeld(integration: string, scanId: string, after: string, limit: number): Promise<readonly string[]>
  /**
   * Lists notes with content whose `hiddenAt` is `hiddenBefore` or earlier, by id. A `hiddenAt` that is more than two days later was written by a
   * clock that was wrong, and counts as earlier.
   */
  listOverdue(integration: string, hiddenBefore: number, limit: number): Promise<readonly string[]>
  /** Lists the scans that hold removals back, by scan id. */
  listHolds(integration: string): Promise<readonly HeldRemovals[]>
  /** Counts the notes of the integration. */
  count(integration: string): Promise<NoteCounts>
  /** Reads the position of the latest change; `0` before the first. */
  latestPosition(integration: string): Promise<number>
  /** Lists the notes that changed after a position, each once, by the position of its latest change. */
  listChanges(integration: string, after: number, limit: number): Promise<readonly ChangedNote[]>
  /** Reads a note of any presence, with its content. */
  getNote(integration: string, noteId: string): Promise<StoredNote | undefined>
  /** Lists live notes with their content, by id. */
  listNotes(integration: string, after: string, limit: number): Promise<readonly StoredNote[]>
  /**
   * Finds live notes that contain all words in their title, content, transcript or summary, the best match first. The last word may be the
   * beginning of a word. The other words are whole words; some stores also match parts of words.
   */
  search(integration: string, words: readonly string[], limit: number): Promise<readonly StoredNote[]>
  /**
   * Removes the bytes of erased content that remain in the store's files. Absent in a store that leaves no such bytes.
   *
   * @throws PurgeIncompleteError if bytes may remain
   */
  purge?(): Promise<void>
  /** Closes the connections that the store has opened. */
  close?(): Promise<void> | void
}

/** A note's state and its version, the number of its commits. */
export interface VersionedState {
  readonly state: NoteState
  readonly version: number
}

/** Result of `load`. */
export interface LoadedNotes extends LoadedProgress {
  /** The notes that exist in the store. */
  readonly notes: ReadonlyMap<string, VersionedState>
}

/** What `load` reads of an integration. */
export type LoadedProgress = Pick<CopyState, 'sequence' | 'progress' | 'progressVersion' | 'heardAt'>

/** A write of `commit`, all or nothing. */
export interface MirrorCommit {
  readonly notes: readonly NoteWrite[]
  readonly progress?: { readonly expectedVersion: number; readonly next: MirrorProgress } | undefined
  /** When an event arrived. */
  readonly heardAt?: number | undefined
  readonly fence?: Fence | undefined
  /**
   * The caller's present. With it, a store on a server converts `heardAt` and each `dueAt` that the commit changes to its own clock. The `dueAt`
   * of a state that it returns is a time of its clock.
   */
  readonly now?: number | undefined
}

/** Parameters of `takeDue`. */
export interface DueRequest {
  readonly now: number
  readonly until: number
  readonly limit: number
  /** Notes are due up to this time. Default: `now`. */
  readonly dueBy?: number
}

/** Result of `takeDue`. */
export interface DueNotes {
  /** The sequence number at which requests for these notes start. */
  readonly sequence: number
  readonly notes: readonly DueNote[]
  /** When the first note that was not taken is due. */
  readonly nextDueAt: number | null
}

/** A due note, already postponed. */
export interface DueNote extends VersionedState {
  /** The stored record. */
  readonly note: Note | null
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

/** A scan that holds removals back, and the number of its missing notes. */
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
