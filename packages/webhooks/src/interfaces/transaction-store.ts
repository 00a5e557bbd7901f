import { NotewireError } from '@notewire/protocol'
import type { AppliedRevision, NoteChange } from './revision-gate.ts'
import type { ClaimRequest, ProcessedRecords } from './store.ts'

/**
 * A store of which the receiver processes each event in one transaction: the processed record, the revision of the note and the rows of the
 * handler are committed together, or not at all. It has no leases: the locks of the transaction are the claim.
 *
 * Create one with `postgresTransactions`, `sqliteTransactions` or `durableObjectTransactions`. It uses the same tables as `postgresStore`
 * and `sqliteStore`.
 *
 * @typeParam Transaction  what handlers get as `context.transaction`
 */
export interface TransactionStore<Transaction> extends ProcessedRecords {
  /**
   * Checks an event without a lock, in this order: `duplicate`, `stale`, `busy`, `new`. `busy`: a receiver with leases is processing the
   * event, or another event of its note.
   */
  look(request: ClaimRequest): Promise<LookResult>
  /**
   * Begins a transaction, writes the processed record of the event and the revision of its note, which locks both, calls the handler, and
   * commits.
   *
   * @param seen  from `look`
   * @returns `changed` if the event or its note has changed since `look`; `conflict` if the database asks to try again. Nothing is then
   * committed
   * @throws what the handler has thrown, or why the transaction could not be committed
   */
  transact(request: ClaimRequest, seen: Seen, work: TransactionWork<Transaction>): Promise<TransactionResult>
}

/** The result of a look. */
export type LookResult =
  | { readonly status: 'new'; readonly seen: Seen }
  | { readonly status: 'duplicate' }
  | { readonly status: 'stale'; readonly appliedRevision: number | undefined }
  | { readonly status: 'busy' }

/** What a look has found. The transaction checks that it is still so. */
export interface Seen {
  /** What was applied to the note, if the event has a note with a change. */
  readonly applied: AppliedRevision | undefined
  /** The fencing token and the lease of the event, if the store knows the event: every claim, renewal, commit and release changes one of them. */
  readonly eventVersion: string | undefined
  /** The same of the note. */
  readonly noteVersion: string | undefined
}

/** What happens in the transaction. */
export interface TransactionWork<Transaction> {
  /** Calls the handler, at once. Returns what it returns. */
  call(transaction: Transaction): unknown
  /** The change to record, after `call`: the handler may have set another revision. */
  readonly change: () => NoteChange | undefined
  /** Resolves when the receiver stops waiting for the handler, which may still run: nothing may be committed any more. */
  readonly givenUp: Promise<unknown>
}

/** The result of a transaction that did not fail. */
export type TransactionResult =
  | { readonly status: 'committed' }
  | { readonly status: 'changed' }
  /** Two transactions waited for each other, a lock was not available in time, or the transactions could not be serialized. */
  | { readonly status: 'conflict'; readonly error: unknown }
  /**
   * The database has refused at the commit what the handler had written, for example because of a deferred constraint: the failure is the
   * handler's.
   */
  | { readonly status: 'refused'; readonly error: unknown }

/**
 * The transaction of the event cannot be committed because of what the handler has done, or a statement comes after its end. The message says
 * which.
 */
export class TransactionEndedError extends NotewireError<'transaction_ended'> {
  /** @param why  what the handler has done, and what to do instead, in sentences */
  constructor(why?: string, cause?: unknown) {
    super('transaction_ended', why ?? ENDED_OR_FAILED, cause === undefined ? undefined : { cause })
  }
}

const ENDED_OR_FAILED =
  'the transaction of the event could not be committed: the handler has caught the error of a statement that failed in it, or has ' +
  'ended the transaction itself. Let errors leave the handler, leave COMMIT and ROLLBACK to the receiver, and use a savepoint ' +
  'for a statement that may fail. The event will be retried.'
