import type { Answer, ErrorAnswer } from '../interfaces/answer.ts'
import type { ProcessOutcome } from '../processing/outcome.ts'
import type { SecretFinding } from '../secrets/secret-source.ts'

type Code = ErrorAnswer['code']
type StatusOf<One extends Code, Each = ErrorAnswer> = Each extends { readonly code: infer Codes; status: infer Status }
  ? One extends Codes
    ? Status
    : never
  : never

/** The status of each error answer, and the sentence in its body. */
export const ERRORS: { readonly [One in Code]: readonly [status: StatusOf<One>, message: string] } = {
  not_found: [404, 'No webhook receiver at this path and method. Send POST to the path of the receiver.'],
  integration_unknown: [404, 'No such integration. Send deliveries to the URL that was registered.'],
  body_too_slow: [408, 'The request body did not arrive in time.'],
  body_too_large: [413, 'The request body is larger than the receiver accepts.'],
  body_encoded: [415, 'The request body must not be compressed: the signature covers plain bytes.'],
  body_incomplete: [400, 'The request body ended early.'],
  unverified: [401, 'The receiver did not accept the signature.'],
  event_malformed: [400, 'The body is not a valid event.'],
  secret_missing: [503, 'The receiver has no usable signing secret. The delivery can be retried.'],
  lookups_limited: [503, 'The receiver is looking up too many signing secrets. The delivery can be retried.'],
  body_already_parsed: [500, 'The body was parsed before the receiver could verify it.'],
  handler_failed: [500, 'The event was not processed.'],
  overdue: [503, 'The event is still being processed.'],
  busy: [503, 'The receiver is processing this event, or another event of the same note.'],
  not_queued: [503, 'The queue did not confirm the event.'],
  unavailable: [503, 'The receiver cannot process the event now.'],
  internal: [500, 'The receiver failed.'],
}

/** The delay of the service's first retry, in seconds (contract §8). */
const RETRY_AFTER_SECONDS = '30'

export function answerError(code: Code): Answer {
  const [status, message] = ERRORS[code]
  const again: Record<string, string> = status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {}
  return {
    status,
    headers: { 'content-type': 'application/json', ...again },
    body: JSON.stringify({ error: { code, message } }),
    error: { status, code } as ErrorAnswer,
  }
}

const PROCESSED: Answer = { status: 204, headers: {}, body: '', error: undefined }

/** The answer to an outcome: 2xx only if the service need not send the event again. */
export function answerTo(outcome: ProcessOutcome): Answer {
  switch (outcome.status) {
    case 'applied':
    case 'unhandled':
    case 'duplicate':
    case 'stale':
      return PROCESSED
    case 'malformed':
      return answerError('event_malformed')
    case 'busy':
      return answerError('busy')
    case 'failed':
      return answerError('handler_failed')
    case 'store-failed':
    case 'sink-failed':
    case 'claim-lost':
    case 'handler-timeout':
    case 'closing':
      return answerError('unavailable')
  }
}

/** The answer to a delivery whose signature cannot be checked. */
export function answerWithoutSecret({ status }: SecretFinding): Answer {
  if (status === 'unknown') return answerError('integration_unknown')
  return answerError(status === 'limited' ? 'lookups_limited' : 'secret_missing')
}
