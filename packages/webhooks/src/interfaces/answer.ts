/**
 * An answer that is not 2xx, by its status and the code in its body:
 *
 * - 400 `body_incomplete`: the connection closed before the whole body arrived; `event_malformed`: the signature is valid, but the
 *   body is not an event
 * - 401 `unverified`: the headers or the signature were not accepted
 * - 404 `not_found`: the path is not the option `path`, or the method is not POST; `integration_unknown`: the request names
 *   no integration, or one that the function `secretOf` does not know
 * - 408 `body_too_slow`: the body did not arrive within 8 s
 * - 413 `body_too_large`: the body is larger than the option `maxBodyBytes`
 * - 415 `body_encoded`: the body is compressed
 * - 500 `body_already_parsed`: something read the body before the receiver; `handler_failed`; `internal`: the receiver or
 *   its adapter failed
 * - 503 `secret_missing`: no usable secret; `lookups_limited`: the function `secretOf` was not called, because 32 of its calls are
 *   running and none ended in time; `overdue`: the handler or the sink takes longer than the service waits; `busy`:
 *   the event, or another of its note, is being processed; `not_queued`: the queue did not confirm the event; `unavailable`:
 *   the store or the sink failed, the claim was lost, or the receiver is closing
 */
export type ErrorAnswer =
  | { readonly status: 400; readonly code: 'body_incomplete' | 'event_malformed' }
  | { readonly status: 401; readonly code: 'unverified' }
  | { readonly status: 404; readonly code: 'not_found' | 'integration_unknown' }
  | { readonly status: 408; readonly code: 'body_too_slow' }
  | { readonly status: 413; readonly code: 'body_too_large' }
  | { readonly status: 415; readonly code: 'body_encoded' }
  | { readonly status: 500; readonly code: 'body_already_parsed' | 'handler_failed' | 'internal' }
  | {
      readonly status: 503
      readonly code: 'secret_missing' | 'lookups_limited' | 'overdue' | 'busy' | 'not_queued' | 'unavailable'
    }

/** What a receiver answers to the service, for an adapter to write. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Empty, or JSON: a code and a sentence. Never says why a signature was refused. */
  readonly body: string
  /** The error. `undefined` for 2xx. */
  readonly error: ErrorAnswer | undefined
}
