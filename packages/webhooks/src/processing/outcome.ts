import type { WebhookEvent } from '@notewire/protocol'

/** The outcome of an event that was verified or passed to `process`. */
export type ProcessOutcome =
  /** The handler ran, and the event is marked as processed. */
  | { readonly status: 'applied'; readonly event: WebhookEvent }
  /** The receiver has no handler for this kind: the event is marked as processed, and the revision of its note stays as it is. */
  | { readonly status: 'unhandled'; readonly event: WebhookEvent }
  /** The event was processed before (contract §6, delivery semantics 1). */
  | { readonly status: 'duplicate'; readonly event: WebhookEvent }
  /**
   * The note is already at `appliedRevision`, or was deleted after the event occurred (contract §6, delivery semantics 2). `undefined` if
   * only deletions without a revision were applied to the note (open point 38).
   */
  | { readonly status: 'stale'; readonly event: WebhookEvent; readonly appliedRevision: number | undefined }
  /** The event cannot be processed: `problem` names the field. A retry would fail in the same way. */
  | { readonly status: 'malformed'; readonly event: WebhookEvent; readonly problem: string }
  /**
   * This event, or another event of its note, was still being processed after 2 s, or transactions were in conflict: `error` is then that of
   * the database, such as a deadlock. The event must be retried.
   */
  | { readonly status: 'busy'; readonly event: WebhookEvent; readonly error?: unknown }
  /** The handler threw. The event must be retried. */
  | { readonly status: 'failed'; readonly event: WebhookEvent; readonly error: unknown }
  /** The store failed, before the handler or at the commit after it. The event must be retried. */
  | { readonly status: 'store-failed'; readonly event: WebhookEvent; readonly error: unknown }
  /** The sink rejected. The event must be retried. */
  | { readonly status: 'sink-failed'; readonly event: WebhookEvent; readonly error: unknown }
  /**
   * The receiver lost its claim: the lease expired, and another worker may have claimed the event. This attempt does not mark the event as
   * processed. The event must be retried.
   */
  | { readonly status: 'claim-lost'; readonly event: WebhookEvent }
  /**
   * The handler took longer than `handlerTimeoutMs`: the receiver released its claim, and the handler may still be running. The event
   * must be retried.
   */
  | { readonly status: 'handler-timeout'; readonly event: WebhookEvent }
  /**
   * The receiver is closing: no handler was called, or the handler stopped because of its signal, or it still ran when
   * `close` stopped waiting for it. The event must be retried.
   */
  | { readonly status: 'closing'; readonly event: WebhookEvent }

/** How long the parts of processing an event took. */
export interface ProcessTiming {
  /** How long the event waited for its note, or for another worker that had claimed it, in milliseconds. */
  readonly waitedMs: number
  /** How long the handler or the sink ran, in milliseconds. `undefined` if none was called. */
  readonly handlerMs: number | undefined
}
