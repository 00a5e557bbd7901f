import type { NotePart } from './consumer-change.ts'
import type { StoredNote } from './stored-note.ts'

/**
 * The part of a mirror's store that keeps consumers. A consumer is known by the integration and its name.
 *
 * @typeParam Transaction  what `commitConsumerIn` takes; `never` if the store has no transactions for users
 */
export interface ConsumerStore<Transaction = never> {
  /** Reads a consumer; `NEW_CONSUMER` and version 0 if it was never written. */
  readConsumer(integration: string, name: string): Promise<ConsumerRecord>
  /** Writes a consumer and its notes, or nothing: `'lost'` when the version is no longer the expected one. */
  commitConsumer(integration: string, name: string, commit: ConsumerCommit): Promise<ConsumerCommitResult>
  /**
   * The same in the user's own transaction: it takes effect when that transaction commits. Synchronous if the driver is. Absent in a store
   * that has no transactions for users.
   */
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

/** What is kept of a consumer. Times are milliseconds since the Unix epoch. */
export interface ConsumerState {
  /** The position up to which changes were listed: everything up to it was applied, except the notes that wait or are parked. */
  readonly cursor: number
  /**
   * The cursor when it last reached the end. A note that changes while the consumer is behind moves ahead of the cursor, so that the cursor
   * does not tell what the consumer has of it: this position does, or the note that is kept.
   */
  readonly base: number
  /** The position at which the consumer began: it gets no removal of before. */
  readonly startedAt: number
  /** How many rounds in a row failed as a whole. */
  readonly failures: number
  /** When the consumer may try again; `null` when it is not backing off. */
  readonly dueAt: number | null
  /** When the lease of the process that consumes ends; `null` when none does. */
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
  /** How often the consumer was written. */
  readonly version: number
  /** The fencing token: how often its lease was taken. */
  readonly token: number
  /** Whether a note changed after the cursor. */
  readonly hasChanges: boolean
  /** When the first waiting note is due. */
  readonly nextDueAt: number | null
}

/** What is kept of an error: its name and code, never its message, which may quote a note. */
export interface ErrorFacts {
  readonly name: string
  readonly code: string | null
}

/** What a consumer keeps of a note that waits for a retry, is parked, or was applied after the base (and has no time). */
export interface ConsumerNote {
  /** The position of the last change of the note that the consumer applied. */
  readonly since: number
  readonly attempts: number
  /** When it is tried again; `null` for a note that is parked or was applied. */
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
  /** Whether to forget all notes that were applied, and neither wait nor are parked. */
  readonly forgetsApplied: boolean
}

/** What `listConsumable` is asked for. */
export interface ConsumableRequest {
  /** The cursor. */
  readonly after: number
  readonly now: number
  /** How many of each kind at most. */
  readonly limit: number
}

/** What `listConsumable` reads. */
export interface ConsumableNotes {
  /** Notes that changed after the cursor, by position. */
  readonly changes: readonly ConsumableNote[]
  /** Notes that wait, are due, and did not change after the cursor, the longest due first. */
  readonly due: readonly ConsumableNote[]
}

/** A note with everything that a consumer needs to know of it. */
export interface ConsumableNote extends StoredNote {
  readonly position: number
  /** The position at which the note became visible last. */
  readonly visibleSince: number
  /** The position at which it vanished last; `0` if it never did. */
  readonly vanishedSince: number
  /** The position at which each part changed last. */
  readonly changedAt: Readonly<Record<NotePart, number>>
  /** What the consumer keeps of the note. */
  readonly kept: ConsumerNote | null
}

/** What `describeConsumer` reads. */
export interface ConsumerDescription {
  /** How many notes changed after the cursor. */
  readonly lag: number
  /** How many notes wait for a retry. */
  readonly waiting: number
  readonly parked: readonly (ConsumerNote & { readonly noteId: string })[]
}
