import type { ProcessOutcome } from './outcome.ts'

/** What a receiver answers to the service, for an adapter to write. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Empty, or JSON: a code and a sentence. Never says why a signature was refused. */
  readonly body: string
}

/** Seconds after which the service tries again anyway (contract §8). */
const RETRY_AFTER_SECONDS = '30'

/** The one answer for each thing that can become of a request. */
export const answers = {
  processed: answer(204),
  notFound: answer(404, 'not_found', 'The webhook receiver is not here, or not for this method.'),
  tooSlow: answer(408, 'body_too_slow', 'The request body did not arrive in time.'),
  tooLarge: answer(413, 'body_too_large', 'The request body is larger than a notification can be.'),
  encoded: answer(415, 'body_encoded', 'The request body must not be compressed: the signature covers plain bytes.'),
  incomplete: answer(400, 'body_incomplete', 'The request body ended early.'),
  unverified: answer(401, 'unverified', 'The signature was not accepted.'),
  malformed: answer(400, 'event_malformed', 'The body is not a notification.'),
  noSecret: answer(503, 'secret_missing', 'The receiver does not know its signing secret yet.'),
  alreadyParsed: answer(500, 'body_already_parsed', 'Something parsed the body before the receiver could verify it.'),
  failed: answer(500, 'handler_failed', 'The event was not processed.'),
  overdue: answer(503, 'overdue', 'The event is still being processed.'),
  busy: answer(503, 'busy', 'The event, or another of its note, is being processed.'),
  notQueued: answer(503, 'not_queued', 'The queue did not confirm the event.'),
  unavailable: answer(503, 'unavailable', 'The receiver cannot process the event now.'),
  broken: answer(500, 'internal', 'The receiver failed.'),
} as const

/** The answer that an outcome deserves: 2xx only when the event need not be sent again. */
export function answerTo(outcome: ProcessOutcome): Answer {
  switch (outcome.status) {
    case 'applied':
    case 'unhandled':
    case 'duplicate':
    case 'stale':
      return answers.processed
    case 'busy':
      return answers.busy
    case 'failed':
      return answers.failed
    case 'store-failed':
    case 'claim-lost':
    case 'closing':
      return answers.unavailable
  }
}

function answer(status: number, code?: string, message?: string): Answer {
  if (code === undefined) return { status, headers: {}, body: '' }
  const again: Record<string, string> = status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {}
  return {
    status,
    headers: { 'content-type': 'application/json', ...again },
    body: JSON.stringify({ error: { code, message } }),
  }
}
