import type { WebhookEvent } from '@notewire/protocol'

/** The outcome of an event that was verified or passed to `process`. */
export type ProcessOutcome =
  /** The handler ran, and the event is marked as processed. */
  | { readonly status: 'applied'; readonly event: WebhookEvent }
  /** The receiver has no handler for this kind: the event is marked as processed, and raises no revision. */
  | { readonly status: 'unhandled'; readonly event: WebhookEvent }
  /** It was processed before (contract §6, delivery semantics 1). */
  | { readonly status: 'duplicate'; readonly event: WebhookEvent }
  /** The note already stands at `appliedRevision` (contract §6, delivery semantics 2). */
  | { readonly status: 'stale'; readonly event: WebhookEvent; readonly appliedRevision: number }
  /** It is no event that can be processed: `problem` names the field. To send it again changes nothing. */
  | { readonly status: 'malformed'; readonly event: WebhookEvent; readonly problem: string }
  /** It, or another event of its note, was being processed for as long as we waited. It must be sent again. */
  | { readonly status: 'busy'; readonly event: WebhookEvent }
  /** The handler threw. It must be sent again. */
  | { readonly status: 'failed'; readonly event: WebhookEvent; readonly error: unknown }
  /** The store did not answer: before the handler, or after it, at the commit. It must be sent again. */
  | { readonly status: 'store-failed'; readonly event: WebhookEvent; readonly error: unknown }
  /** The option `sink` rejected. It must be sent again. */
  | { readonly status: 'sink-failed'; readonly event: WebhookEvent; readonly error: unknown }
  /** Another worker took over while the handler ran: this run does not count. */
  | { readonly status: 'claim-lost'; readonly event: WebhookEvent }
  /**
   * The handler took longer than `handlerTimeoutMs`: its claim was given up, and it may still be running. It must be sent
   * again.
   */
  | { readonly status: 'handler-timeout'; readonly event: WebhookEvent }
  /**
   * The receiver is closing: no handler was called, or the handler stopped because of its signal, or it still ran when
   * `close` stopped waiting for it. It must be sent again.
   */
  | { readonly status: 'closing'; readonly event: WebhookEvent }

/** Where the time of an event went. */
export interface ProcessTiming {
  /** How long it waited for another event of its note, or for another worker at the same one: milliseconds. */
  readonly waitedMs: number
  /** How long its handler or the sink ran: milliseconds. `undefined` when none was called. */
  readonly handlerMs: number | undefined
}
