import type { WebhookEvent } from '@notewire/protocol'

/** What became of an event that was verified and handed to `process`. */
export type ProcessOutcome =
  /** The handler ran, and the event is marked as processed. */
  | { readonly status: 'applied'; readonly event: WebhookEvent }
  /** Nobody handles this kind: marked as processed, no revision raised. */
  | { readonly status: 'unhandled'; readonly event: WebhookEvent }
  /** It was processed before (contract §6, delivery semantics 1). */
  | { readonly status: 'duplicate'; readonly event: WebhookEvent }
  /** The note already stands at `appliedRevision` (contract §6, delivery semantics 2). */
  | { readonly status: 'stale'; readonly event: WebhookEvent; readonly appliedRevision: number }
  /** It, or another event of its note, was being processed for as long as we waited. It must be sent again. */
  | { readonly status: 'busy'; readonly event: WebhookEvent }
  /** The handler threw. It must be sent again. */
  | { readonly status: 'failed'; readonly event: WebhookEvent; readonly error: unknown }
  /** The store did not answer: before the handler, or after it, at the commit. It must be sent again. */
  | { readonly status: 'store-failed'; readonly event: WebhookEvent; readonly error: unknown }
  /** Another worker took over while the handler ran: this run does not count. */
  | { readonly status: 'claim-lost'; readonly event: WebhookEvent }
  /** The receiver is closing: nothing was begun. It must be sent again. */
  | { readonly status: 'closing'; readonly event: WebhookEvent }

/** Where the time of an event went. */
export interface ProcessTiming {
  /** How long it waited for another event of its note, or for another worker at the same one: milliseconds. */
  readonly waitedMs: number
  /** How long its handler ran: milliseconds. `undefined` when none was called. */
  readonly handlerMs: number | undefined
}
