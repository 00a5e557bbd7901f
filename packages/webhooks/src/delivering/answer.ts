import type { Answer, ErrorAnswer } from '../interfaces/answer.ts'
import type { ProcessOutcome } from '../processing/outcome.ts'
import type { SecretFinding } from '../secrets/secret-source.ts'

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
