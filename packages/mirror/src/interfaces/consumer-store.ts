import type { NotePart } from './consumer-change.ts'
import type { StoredNote } from './stored-note.ts'

/**
 * The part of a mirror's store that stores consumers by integration and name. Times are milliseconds since the Unix epoch, by the clock of the
 * caller. With `now`, the caller's present, a store on a server converts them to and from its own clock.
 *
 * @typeParam Transaction  the transaction that `commitConsumerIn` takes; `never` if the store has no transactions for users
 */
export interface ConsumerStore<Transaction = never> {
  /** Reads a consumer; `NEW_CONSUMER` and version 0 if it was never written. */
  readConsumer(integration: string, name: string, now?: number): Promise<ConsumerRecord>
  /** Writes a consumer and its notes, or nothing: `'lost'` if the version differs from the expected one. */
  commitConsumer(integration: string, name: string, commit: ConsumerCommit): Promise<ConsumerCommitResult>
  /** `commitConsumer` in the user's transaction. Synchronous if the driver is. Absent in a store without transactions for users. */
  commitConsumerIn?(
    transaction: Transaction,
    integration: string,
    name: string,
    commit: ConsumerCommit,
  ): ConsumerCommitResult | Promise<ConsumerCommitResult>
  /** Renews the lease that was taken with a fencing token, unless it was released. Does not change the version. */
  renewConsumer(
    integration: string,
    name: string,
    token: number,
    leaseUntil: number,
    now?: number,
  ): Promise<'renewed' | 'lost'>
  /** Reads the notes that a consumer must get. Changes and due notes are disjoint, and are read in one snapshot. */
  listConsumable(integration: string, name: string, request: ConsumableRequest): Promise<ConsumableNotes>
  /** Reads the lag of a consumer, and its parked notes by id. */
  describeConsumer(integration: string, name: string): Promise<ConsumerDescription>
  /** Makes all parked notes due now, with no attempts. Returns their number. */
  retryParked(integration: string, name: string, now: number): Promise<number>
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
  /** The latest position when the consumer was created. It gets no earlier removals. */
  readonly startedAt: number
  /** The number of consecutive rounds in which all changes failed. */
  readonly failures: number
  /** The end of the backoff. */
  readonly dueAt: number | null
  /** The end of the lease of the consuming process. */
  readonly leaseUntil: number | null
  /** The error of the last round in which all changes failed. */
  readonly error: ErrorFacts | null
}

export const NEW_CONSUMER: ConsumerState = {
  cursor: 0,
  base: 0,
  startedAt: 0,
  failures: 0,
  dueAt: null,
  leaseUntil: null,
  error: null,
}

/** Result of `readConsumer`. */
export interface ConsumerRecord {
  readonly state: ConsumerState
  /** The number of commits. */
  readonly version: number
  /** The fencing token: the number of leases taken so far. */
  readonly token: number
  /** Whether a note changed after the cursor. */
  readonly hasChanges: boolean
  /** When the first waiting note is due. */
  readonly nextDueAt: number | null
}

/** The name and code of an error. Its message is not kept: it may quote a note. */
export interface ErrorFacts {
  readonly name: string
  readonly code: string | null
}

/** What a consumer stores about a note that waits for a retry, is parked, or was applied after `base`. */
export interface ConsumerNote {
  /** The position of the last change of the note that the consumer applied. */
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
  /** The caller's present. */
  readonly now?: number
}

/** Parameters of `listConsumable`. */
export interface ConsumableRequest {
  /** The cursor. */
  readonly after: number
  readonly now: number
  /** Waiting notes are due up to this time. Default: `now`. */
  readonly dueBy?: number
  /** The maximum number of changes, and of due notes. */
  readonly limit: number
}

/** Result of `listConsumable`. */
export interface ConsumableNotes {
  /** Notes that changed after the cursor, by position. */
  readonly changes: readonly ConsumableNote[]
  /** Waiting notes that are due and did not change after the cursor, the most overdue first. */
  readonly due: readonly ConsumableNote[]
}

/** A note with the positions of its latest changes. */
export interface ConsumableNote extends StoredNote {
  readonly position: number
  readonly visibleSince: number
  /** `0` if it never vanished. */
  readonly vanishedSince: number
  readonly changedAt: Readonly<Record<NotePart, number>>
  readonly kept: ConsumerNote | null
}

/** Result of `describeConsumer`. */
export interface ConsumerDescription {
  /** The number of notes that changed after the cursor. */
  readonly lag: number
  /** The number of notes that wait for a retry. */
  readonly waiting: number
  readonly parked: readonly (ConsumerNote & { readonly noteId: string })[]
}
