import type { ErrorFacts } from '@notewire/protocol'
import type { NotePart } from '../notes/note-parts.ts'
import type { StoredNote } from '../notes/stored-note.ts'

/**
 * The part of a mirror's store that stores consumers by integration and name. Times are milliseconds since the Unix epoch, by the clock of the
 * store.
 *
 * @typeParam Transaction  the transaction that `commitConsumer` takes; `never` if the store has no transactions for users
 */
export interface ConsumerStore<Transaction = never> {
  /** Whether `commitConsumer` takes a transaction. */
  readonly takesTransactions: boolean
  /** Lists the consumers of an integration by name. With `name`, that consumer: `NEW_CONSUMER` and version 0 if it was never written. */
  listConsumers(integration: string, request: ConsumersRequest): Promise<readonly ConsumerRecord[]>
  /**
   * Writes a consumer and its notes, or nothing: `'lost'` if the version differs from the expected one. A renewal changes the end of a lease, but
   * not the version: `'lost'` if the lease was released, or taken with another fencing token.
   *
   * @param transaction  the user's transaction in which to write. The store is then synchronous if its driver is.
   */
  commitConsumer(
    integration: string,
    name: string,
    commit: ConsumerCommit | LeaseRenewal,
    transaction?: Transaction,
  ): ConsumerCommitResult | Promise<ConsumerCommitResult>
  /** Reads the notes that a consumer must get. Changes and due notes are disjoint, and are read in one snapshot. */
  listConsumable(integration: string, name: string, request: ConsumableRequest): Promise<ConsumableNotes>
}

export interface ConsumersRequest {
  readonly name?: string | undefined
  /** Whether to count the notes, and to read the parked ones. */
  readonly isDetailed?: boolean | undefined
}

/** `lost`: another process has written the consumer. */
export type ConsumerCommitResult = 'committed' | 'lost'

/** The stored state of a consumer. */
export interface ConsumerState {
  /** The position up to which all changes were applied, except those of waiting and parked notes. */
  readonly cursor: number
  /**
   * The cursor at which the consumer last reached the latest change. The consumer's last applied change of a note is the one up to `base`, or up
   * to `since` of its `ConsumerNote`: a note that changes before the consumer reaches it moves to a higher position.
   */
  readonly base: number
  /** The latest position when the consumer started. It gets no earlier removals. */
  readonly startPosition: number
  /** Set for a consumer that starts from now; `null` for one that gets every note. */
  readonly fromNow: FromNow | null
  /** The number of consecutive rounds in which all changes failed. */
  readonly failures: number
  readonly dueAt: number | null
  /** The end of the lease of the consuming process. */
  readonly leaseUntil: number | null
  /** The error of the last round in which all changes failed. */
  readonly error: ErrorFacts | null
  /** The id of the latest commit in a transaction of the user. Absent before the first. */
  readonly commitId?: string
}

/** What a consumer that starts from now leaves out: notes that were visible at `startPosition`, until their revision changes or an event names them. */
interface FromNow {
  /** The sequence number when the consumer was created. A later event makes its note count as changed. */
  readonly sequence: number
  /** Whether the first listing had not ended yet: the consumer gets nothing until it has. */
  readonly awaitsListing: boolean
}

export const NEW_CONSUMER: ConsumerState = {
  cursor: 0,
  base: 0,
  startPosition: 0,
  fromNow: null,
  failures: 0,
  dueAt: null,
  leaseUntil: null,
  error: null,
}

export interface ConsumerRecord {
  readonly name: string
  readonly state: ConsumerState
  readonly version: number
  /** The fencing token: the number of leases taken so far. */
  readonly token: number
  /** Whether a note changed after the cursor. */
  readonly hasChanges: boolean
  /** When the first waiting note is due. */
  readonly nextDueAt: number | null
  /** `null` unless `isDetailed`. */
  readonly notes: ConsumerNotes | null
}

/** What a consumer stores about a note that waits for a retry, is parked, or was applied after `base`. */
export interface ConsumerNote {
  readonly since: number
  readonly attempts: number
  /** When the note is retried; `null` if it is parked or was applied. */
  readonly dueAt: number | null
  readonly parkedAt: number | null
  readonly error: ErrorFacts | null
}

/** A write of `commitConsumer`, all or nothing. */
export interface ConsumerCommit {
  readonly expectedVersion: number
  readonly token: number
  readonly state: ConsumerState
  /** Notes to write, or to delete (`null`). */
  readonly notes: ReadonlyMap<string, ConsumerNote | null>
  /** Whether to delete all notes that neither wait nor are parked. */
  readonly forgetsApplied: boolean
}

/** A renewal by `commitConsumer` of the lease that was taken with a fencing token. */
export interface LeaseRenewal {
  readonly token: number
  readonly leaseUntil: number
}

export interface ConsumableRequest {
  /** The cursor. */
  readonly after: number
  /** Waiting notes are due up to this time. */
  readonly dueBy: number
  /** The maximum number of changes, and of due notes. */
  readonly limit: number
}

export interface ConsumableNotes {
  /** Notes that changed after the cursor, by position. */
  readonly changes: readonly ConsumableNote[]
  /** Waiting notes that are due and did not change after the cursor, the most overdue first. */
  readonly due: readonly ConsumableNote[]
}

/** A note with the positions of its latest changes. */
export interface ConsumableNote extends StoredNote {
  readonly position: number
  readonly visiblePosition: number
  /** `0` if it never vanished. */
  readonly vanishedPosition: number
  readonly changedPositions: Readonly<Record<NotePart, number>>
  readonly kept: ConsumerNote | null
}

/** The notes of a consumer. */
export interface ConsumerNotes {
  /** The number of notes that changed after the cursor. */
  readonly lag: number
  /** The number of notes that wait for a retry. */
  readonly waiting: number
  /** By id. */
  readonly parked: readonly (ConsumerNote & { readonly noteId: string })[]
}
