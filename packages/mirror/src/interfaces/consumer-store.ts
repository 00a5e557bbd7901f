import type { NotePart } from './consumer-change.ts'
import type { StoredNote } from './stored-note.ts'

/**
 * The part of a mirror's store that keeps consumers, each by its integration and name. Times are milliseconds since the Unix epoch.
 *
 * @typeParam Transaction  what `commitConsumerIn` takes; `never` if the store has no transactions for users
 */
export interface ConsumerStore<Transaction = never> {
  /** Reads a consumer; `NEW_CONSUMER` and version 0 if it was never written. */
  readConsumer(integration: string, name: string): Promise<ConsumerRecord>
  /** Writes a consumer and its notes, or nothing: `'lost'` when the version is no longer the expected one. */
  commitConsumer(integration: string, name: string, commit: ConsumerCommit): Promise<ConsumerCommitResult>
  /** `commitConsumer` in a transaction of the user. Synchronous if the driver is. Absent in a store without transactions for users. */
  commitConsumerIn?(
    transaction: Transaction,
    integration: string,
    name: string,
    commit: ConsumerCommit,
  ): ConsumerCommitResult | Promise<ConsumerCommitResult>
  /** Prolongs the lease that was taken with a fencing token, unless it was given back. It does not change the version. */
  renewConsumer(integration: string, name: string, token: number, leaseUntil: number): Promise<'renewed' | 'lost'>
  /** Reads what a consumer is to get. Changes and due notes are disjoint, and are read in one snapshot. */
  listConsumable(integration: string, name: string, request: ConsumableRequest): Promise<ConsumableNotes>
  /** Reads how far a consumer is, and its parked notes by id. */
  describeConsumer(integration: string, name: string): Promise<ConsumerDescription>
  /** Makes all parked notes due at a time, as if they had not failed. Returns their number. */
  retryParked(integration: string, name: string, dueAt: number): Promise<number>
}

/** `lost`: another process wrote the consumer. */
export type ConsumerCommitResult = 'committed' | 'lost'

/** What is kept of a consumer. */
export interface ConsumerState {
  /** The position up to which everything was applied, except the notes that wait or are parked. */
  readonly cursor: number
  /**
   * The cursor when the consumer last reached the latest change. A note that changes before the consumer reaches it gets a higher position, so
   * the consumer's last change of a note is the one up to `base`, or up to `since` of its `ConsumerNote`.
   */
  readonly base: number
  /** The latest position when the consumer was created: it gets no removal from before. */
  readonly startedAt: number
  /** How many rounds in a row failed as a whole. */
  readonly failures: number
  /** The end of the backoff. */
  readonly dueAt: number | null
  /** The end of the lease of the process that consumes. */
  readonly leaseUntil: number | null
  /** Why the last round failed as a whole. */
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

/** What `readConsumer` reads. */
export interface ConsumerRecord {
  readonly state: ConsumerState
  /** The number of commits. */
  readonly version: number
  /** The fencing token: the number of leases. */
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

/** What a consumer keeps of a note that waits for a retry, is parked, or was applied after `base`. */
export interface ConsumerNote {
  /** The position of the last change of the note that the consumer applied. */
  readonly since: number
  readonly attempts: number
  /** When the note is retried; `null` if it is parked or was applied. */
  readonly dueAt: number | null
  readonly parkedAt: number | null
  readonly error: ErrorFacts | null
}

/** What `commitConsumer` writes, all or nothing. */
export interface ConsumerCommit {
  readonly expectedVersion: number
  readonly token: number
  readonly state: ConsumerState
  /** Notes to keep, or to forget (`null`). */
  readonly notes: ReadonlyMap<string, ConsumerNote | null>
  /** Whether to forget all notes that neither wait nor are parked. */
  readonly forgetsApplied: boolean
}

/** What `listConsumable` is asked for. */
export interface ConsumableRequest {
  /** The cursor. */
  readonly after: number
  readonly now: number
  /** Of each kind. */
  readonly limit: number
}

/** What `listConsumable` reads. */
export interface ConsumableNotes {
  /** Notes that changed after the cursor, by position. */
  readonly changes: readonly ConsumableNote[]
  /** Notes that wait, are due, and did not change after the cursor, the longest due first. */
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

/** What `describeConsumer` reads. */
export interface ConsumerDescription {
  /** The number of notes that changed after the cursor. */
  readonly lag: number
  /** The number of notes that wait for a retry. */
  readonly waiting: number
  readonly parked: readonly (ConsumerNote & { readonly noteId: string })[]
}
