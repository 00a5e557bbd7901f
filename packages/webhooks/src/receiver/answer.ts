import type { ProcessOutcome } from './outcome.ts'
import type { SecretFinding } from './secret-source.ts'

/**
 * An answer that is not 2xx, by its status and the code in its body:
 *
 * - 400 `body_incomplete`: the connection closed before the whole body arrived; `event_malformed`: the signature is valid, but the
 *   body is not an event
 * - 401 `unverified`: the headers or the signature were not accepted
 * - 404 `not_found`: the path is not the option `path`, or the method is not POST; `integration_unknown`: the request names
 *   no integration, or one that the function `secret` does not know
 * - 408 `body_too_slow`: the body did not arrive within 8 s
 * - 413 `body_too_large`: the body is larger than the option `maxBodyBytes`
 * - 415 `body_encoded`: the body is compressed
 * - 500 `body_already_parsed`: something read the body before the receiver; `handler_failed`; `internal`: the receiver or
 *   its adapter failed
 * - 503 `secret_missing`: no usable secret; `lookups_limited`: the function `secret` was not called, because 32 of its calls are
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

/** The delay of the service's first retry, in seconds (contract §8). */
const RETRY_AFTER_SECONDS = '30'

/** Every answer that the receiver gives. */
export const answers = {
  processed: { status: 204, headers: {}, body: '', error: undefined },
  notFound: errorAnswer(
    { status: 404, code: 'not_found' },
    'No webhook receiver at this path and method. Send POST to the path of the receiver.',
  ),
  integrationUnknown: errorAnswer(
    { status: 404, code: 'integration_unknown' },
    'No such integration. Send deliveries to the URL that was registered.',
  ),
  tooSlow: errorAnswer({ status: 408, code: 'body_too_slow' }, 'The request body did not arrive in time.'),
  tooLarge: errorAnswer(
    { status: 413, code: 'body_too_large' },
    'The request body is larger than the receiver accepts.',
  ),
  encoded: errorAnswer(
    { status: 415, code: 'body_encoded' },
    'The request body must not be compressed: the signature covers plain bytes.',
  ),
  incomplete: errorAnswer({ status: 400, code: 'body_incomplete' }, 'The request body ended early.'),
  unverified: errorAnswer({ status: 401, code: 'unverified' }, 'The receiver did not accept the signature.'),
  malformed: errorAnswer({ status: 400, code: 'event_malformed' }, 'The body is not a valid event.'),
  noSecret: errorAnswer(
    { status: 503, code: 'secret_missing' },
    'The receiver has no usable signing secret. The delivery can be retried.',
  ),
  lookupsLimited: errorAnswer(
    { status: 503, code: 'lookups_limited' },
    'The receiver is looking up too many signing secrets. The delivery can be retried.',
  ),
  alreadyParsed: errorAnswer(
    { status: 500, code: 'body_already_parsed' },
    'The body was parsed before the receiver could verify it.',
  ),
  failed: errorAnswer({ status: 500, code: 'handler_failed' }, 'The event was not processed.'),
  overdue: errorAnswer({ status: 503, code: 'overdue' }, 'The event is still being processed.'),
  busy: errorAnswer(
    { status: 503, code: 'busy' },
    'The receiver is processing this event, or another event of the same note.',
  ),
  notQueued: errorAnswer({ status: 503, code: 'not_queued' }, 'The queue did not confirm the event.'),
  unavailable: errorAnswer({ status: 503, code: 'unavailable' }, 'The receiver cannot process the event now.'),
  broken: errorAnswer({ status: 500, code: 'internal' }, 'The receiver failed.'),
} as const satisfies Record<string, Answer>

/** The answer to an outcome: 2xx only if the service need not send the event again. */
export function answerTo(outcome: ProcessOutcome): Answer {
  switch (outcome.status) {
    case 'applied':
    case 'unhandled':
    case 'duplicate':
    case 'stale':
      return answers.processed
    case 'malformed':
      return answers.malformed
    case 'busy':
      return answers.busy
    case 'failed':
      return answers.failed
    case 'store-failed':
    case 'sink-failed':
    case 'claim-lost':
    case 'handler-timeout':
    case 'closing':
      return answers.unavailable
  }
}

/** The answer to a delivery whose signature cannot be checked. */
export function answerWithoutSecret({ status }: SecretFinding): Answer {
  if (status === 'unknown') return answers.integrationUnknown
  return status === 'limited' ? answers.lookupsLimited : answers.noSecret
}

function errorAnswer(error: ErrorAnswer, message: string): Answer {
  const { status, code } = error
  const again: Record<string, string> = status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {}
  return {
    status,
    headers: { 'content-type': 'application/json', ...again },
    body: JSON.stringify({ error: { code, message } }),
    error,
  }
}
