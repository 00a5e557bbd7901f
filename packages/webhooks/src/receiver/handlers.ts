import {
  type EventKind,
  type EventOf,
  isKnownEvent,
  NotewireError,
  type UnknownEvent,
  type WebhookEvent,
} from '@notewire/protocol'
import type { Logger } from './logger.ts'

/** The second argument of a handler. */
export interface HandlerContext<Transaction = never> {
  /**
   * Marks the event as processed within a transaction of the handler's own, on the database of the receiver's store: its
   * rows and the mark stand or fall together, so that they take effect once, whatever crashes. Call it last, and do all
   * fetching before the transaction begins: the mark holds a lock until the transaction ends.
   *
   * Without this call, the event is marked after the handler, which then runs again when the process dies in between.
   *
   * @param transaction  what the store's documentation names; stores without transactions accept none
   * @throws ClaimLostError when the handler no longer holds its claim, at the call where the driver is synchronous: let it
   * roll the transaction back
   */
  commit(transaction: Transaction): Promise<void>
  /** The integration whose event it is: `'default'` unless the receiver has others. */
  readonly integration: string
  /**
   * Aborted when the handler should stop: the claim was lost to another worker, the handler took longer than
   * `handlerTimeoutMs`, or the receiver is closing. Not aborted at the deadline. While the receiver closes, a handler that
   * throws the signal's reason, an `AbortError`, or an error whose `cause` is the reason ends as `closing`, not as `failed`.
   */
  readonly signal: AbortSignal
  /**
   * When the service stops waiting for the answer, less a margin: milliseconds since the Unix epoch, on the receiver's
   * clock. A handler may go on after it; the service then sends the event again and finds it processed. `undefined`
   * where no request waits for an answer, as in a queue worker.
   */
  readonly deadlineAt: number | undefined
  /**
   * The headers of the attempt, names in lower case, without those that `Headers` cannot hold. Empty where there was no
   * request, as in a queue worker.
   */
  readonly headers: Headers
  /** Logs with the event's id and kind. Never told a secret; tell it no note content. */
  readonly logger: Logger
}

/**
 * Applies one event. It resolves when the effects are durable; it throws to have the service send the event again.
 * Events carry no content: read the current note through the client.
 */
export type EventHandler<Event, Transaction = never> = (event: Event, context: HandlerContext<Transaction>) => unknown

/** Handlers by event kind. An event without one is acknowledged. */
export type EventHandlers<Transaction = never> = {
  readonly [Kind in EventKind]?: EventHandler<EventOf<Kind>, Transaction> | undefined
}

/** The handler of an event, if there is one. */
export function handlerOf<Transaction>(
  event: WebhookEvent,
  on: EventHandlers<Transaction>,
  onUnknown: EventHandler<UnknownEvent, Transaction> | undefined,
): EventHandler<WebhookEvent, Transaction> | undefined {
  const handler = isKnownEvent(event) ? on[event.event_type] : onUnknown
  // It takes events of this kind, which TypeScript cannot conclude from the lookup.
  return handler as EventHandler<WebhookEvent, Transaction> | undefined
}

/**
 * The handler no longer holds its claim: another worker has taken the event over, or the receiver gave the claim up because
 * of `handlerTimeoutMs` or while it closed. What this handler did must not count: roll its transaction back.
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
