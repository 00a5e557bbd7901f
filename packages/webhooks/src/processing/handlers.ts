import {
  type EventKind,
  type EventOf,
  isKnownEvent,
  type Logger,
  type NoResponse,
  type UnknownEvent,
  type WebhookEvent,
} from '@notewire/protocol'
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
 * @typeParam Prepared  what the option `prepare` returns
 */
export interface HandlerContext<Prepared = unknown> extends EventContext {
  /** What the option `prepare` has returned. */
  readonly prepared: Prepared
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
export interface TransactionContext<Transaction, Prepared = unknown> extends HandlerContext<Prepared> {
  /**
   * The open transaction of the event. The receiver commits it when the handler has succeeded, and rolls it back if the handler throws. Write
   * with it, and do not end it. Statements on other connections are not part of it.
   */
  readonly transaction: Transaction
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
