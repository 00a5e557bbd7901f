import {
  type EventKind,
  type EventOf,
  isKnownEvent,
  type NoResponse,
  NotewireError,
  type UnknownEvent,
  type WebhookEvent,
} from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { AppliedRevision } from '../interfaces/revision-gate.ts'

/** What `prepare` and every handler get. */
export interface EventContext {
  /**
   * What the receiver has applied to the note of this event before: its revision, and the events applied at this revision. `undefined` if
   * nothing was applied, or if the event has no note.
   */
  readonly applied: AppliedRevision | undefined
  /** The integration to which the event belongs; `'default'` if none was set. */
  readonly integration: string
  /**
   * Aborted when the handler should stop: the claim was lost, the handler took longer than `handlerTimeoutMs`, or the receiver is
   * closing. Not aborted at `deadlineAt`. While the receiver closes, the outcome is `closing`, not `failed`, if the handler throws the
   * signal's reason, an `AbortError`, or an error whose `cause` is the reason.
   */
  readonly signal: AbortSignal
  /**
   * The time at which the receiver answers 503 if the handler is still running, in milliseconds since the Unix epoch by the receiver's
   * clock. It is 2 s before the service stops waiting. The handler may continue. If it has succeeded before the service's retry arrives,
   * the retry is a duplicate. `undefined` if no request waits for an answer, as in a queue worker.
   */
  readonly deadlineAt: number | undefined
  /**
   * The headers of the request, without those that a `Headers` object rejects. Empty if there was no request, as in a queue worker.
   */
  readonly headers: Headers
  /** The receiver's logger. It adds the event's id and kind to each line. Do not log a secret or note content. */
  readonly logger: Logger
}

/**
 * The second argument of a handler.
 *
 * @typeParam Transaction  what `commit` takes
 * @typeParam Prepared  what the option `prepare` returns
 */
export interface HandlerContext<Transaction = never, Prepared = unknown> extends EventContext {
  /** What the option `prepare` has returned. */
  readonly prepared: Prepared
  /**
   * Writes the processed record of the event in a transaction of the handler, on the database of the receiver's store. The handler's rows
   * and this record are committed together, so they take effect exactly once, even after a crash. Call `commit` last in the transaction,
   * because the transaction then locks the claim until it ends. Fetch before the transaction begins.
   *
   * It is for handlers whose effects take long and need the lease, such as an e-mail or a call of a paid API, before they write. If a handler only
   * writes to the database, use a store that opens the transaction, such as `postgresTransactions`.
   *
   * Without this call, the receiver writes the record after the handler has returned. If the process dies before that, the handler runs
   * again.
   *
   * @param transaction  a transaction on the store's database. If the store has no transactions, the type is `never`
   * @throws ClaimLostError when the handler no longer holds its claim; with a synchronous driver, `commit` throws synchronously. Let the
   * error roll the transaction back
   * @throws OptionError if `transaction` has no open transaction, for example a pool: nothing is committed
   */
  commit(transaction: Transaction): Promise<void>
  /**
   * Records another revision of the note than the event's, when the handler succeeds. Call it if the handler has fetched the note and
   * applied this revision: events up to it are then stale.
   *
   * @throws OptionError unless `revision` is a whole number from 0
   */
  setAppliedRevision(revision: number): void
}

/**
 * The second argument of a handler that runs in the receiver's transaction.
 *
 * @typeParam Transaction  the transaction of your driver or library
 * @typeParam Prepared  what the option `prepare` returns
 */
export interface TransactionContext<Transaction, Prepared = unknown> extends EventContext {
  /** What the option `prepare` has returned. */
  readonly prepared: Prepared
  /**
   * The open transaction of the event. The receiver commits it when the handler has succeeded, and rolls it back if the handler throws. Write
   * with it, and do not end it. Statements on other connections are not part of it.
   */
  readonly transaction: Transaction
  /**
   * Records another revision of the note than the event's. Call it if the handler writes a revision that was fetched: events up to it are then
   * stale.
   *
   * @throws OptionError unless `revision` is a whole number from 0
   */
  setAppliedRevision(revision: number): void
}

/**
 * Processes one event. Resolve when the effects are durable. If it throws or rejects, the service retries the event. The receiver ignores
 * what it returns: `false` is no failure. It may not return a `Response`, which would not reach the service: the event then fails with
 * the error `response_returned`. Events carry no content: fetch the current note through the client.
 */
export type EventHandler<Event, Context = HandlerContext> = (event: Event, context: Context) => NoResponse

/** Handlers by event kind. An event without a handler is acknowledged. */
export type EventHandlers<Context = HandlerContext> = {
  readonly [Kind in EventKind]?: EventHandler<EventOf<Kind>, Context> | undefined
}

/** Runs before a handler. What it returns is `context.prepared`. */
export type Prepare<Prepared = unknown> = (
  event: WebhookEvent,
  context: EventContext,
) => Prepared | PromiseLike<Prepared>

/** The handler of an event, if there is one. */
export function handlerOf<Context>(
  event: WebhookEvent,
  on: EventHandlers<Context>,
  onUnknown: EventHandler<UnknownEvent, Context> | undefined,
): EventHandler<WebhookEvent, Context> | undefined {
  const handler = isKnownEvent(event) ? on[event.event_type] : onUnknown
  // TypeScript cannot infer that the handler found by `event_type` takes events of this kind.
  return handler as EventHandler<WebhookEvent, Context> | undefined
}

/**
 * The handler no longer holds its claim: another worker has claimed the event, or the receiver released the claim because
 * of `handlerTimeoutMs` or while it closed. Roll the handler's transaction back.
 */
export class ClaimLostError extends NotewireError<'claim_lost'> {
  constructor() {
    super(
      'claim_lost',
      'this handler no longer holds its claim: its lease expired and another worker claimed the event, or the ' +
        'receiver released the claim after handlerTimeoutMs or while closing. Let this error roll back the transaction; ' +
        'another attempt will process the event.',
    )
  }
}

/** The handler called `context.commit` in a transaction that did not commit. */
export class TransactionNotCommittedError extends NotewireError<'transaction_not_committed'> {
  constructor() {
    super(
      'transaction_not_committed',
      'the handler returned after context.commit, but its transaction was rolled back or is still open. Commit the ' +
        'transaction before the handler returns, and do not catch its errors in the handler. The event will be retried.',
    )
  }
}
